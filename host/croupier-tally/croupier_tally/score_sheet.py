"""The score sheet of an evening without a referee: for each round who went out, and the cards that the others held.

Its file is a table log: each round is set to be over, then the hands are shown. So the referee counts the points as the
rules say, and everything that reads table logs reads score sheets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from croupier.errors import BadLog, BadScore
from croupier.game_views.story import Story
from croupier.i18n import _, ngettext
from croupier.journal.log_file import text_of
from croupier.log_replay import Record, replay_lines
from croupier.names import player_names
from croupier_rules.cards import DECKS, FACES
from croupier_rules.referee import Header, Observation, Options
from croupier_rules.referee.header import checked, seats_of, teams_seated
from croupier_rules.referee.observations import Overrule, Shown, to_json
from croupier_rules.referee.table import GameConstants
from croupier_rules.rules import load

SUFFIX: Final = ".score"
MOST_BYTES: Final = 1 << 19
"""Of a file: some hundred rounds of ten players."""

_UNKNOWN_HAND: Final = 1
"""Number of cards of a hand that was not shown yet: the referee waits for its faces."""


@dataclass(frozen=True, slots=True)
class Round:
    """The seat that went out, and the cards of the others by seat, as far as they were shown."""

    went_out: int
    hands: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class ScoreSheet:
    """A score sheet. Each change makes a new one.

    Raises:
        BadScore: the change is impossible; the text is for the person who wants it.
    """

    header: Header
    rounds: tuple[Round, ...] = ()

    @classmethod
    def parse(cls, content: bytes, where: str) -> ScoreSheet:
        """The score sheet in the content of a file; ``where``: its name in errors. Raises `BadLog`."""
        if len(content) > MOST_BYTES:
            raise BadLog(_("{file}: too large: expected a score sheet", file=where))
        parsed = replay_lines(content.splitlines(keepends=True), where)
        header = next(parsed)
        assert isinstance(header, Header)
        given: list[tuple[int, Observation]] = []
        rounds: list[Round] = []
        for step in parsed:
            assert isinstance(step, Record)
            given.append((step.line, step.observation))
            match step.observation:
                case Overrule(set={"phase": "round_over", "hands": [*hands]}):
                    out = step.fields["out"]
                    rounds.append(Round(next((i for i, n in enumerate(hands) if not n and i not in out), 0)))
                case Shown(seat=seat, cards=cards) if rounds:
                    rounds[-1] = replace(rounds[-1], hands={**rounds[-1].hands, seat: cards})
        sheet = cls(header, tuple(rounds))
        written = sheet._scored[2]
        for place, (line, observation) in enumerate(given):
            if place >= len(written) or observation != written[place]:
                raise BadLog(
                    _("{file}, line {n}: not as croupier score writes it: expected a score sheet", file=where, n=line)
                )
        return sheet

    @property
    def names(self) -> tuple[str, ...]:
        """The players, by seat."""
        return self.header.seats

    @property
    def text(self) -> str:
        """The content of the file."""
        return "".join(f"{line}\n" for line in self.lines)

    @property
    def lines(self) -> Sequence[str]:
        """The lines of the file, without their ends."""
        return self._scored[0]

    @property
    def story(self) -> Story:
        """The game with its points."""
        return self._scored[1]

    @property
    def to_show(self) -> tuple[int, ...]:
        """The seats whose hands are missing in the last round."""
        return self.story.hands_to_show

    @property
    def target(self) -> int | None:
        """The points that end the game; None where players are eliminated one by one."""
        return None if self.header.options.limit is not None else GameConstants(self.header).target

    @property
    def is_over(self) -> bool:
        """True if the game is won."""
        return bool(self.story.at(None).position["phase"] == "game_over")

    def with_winner(self, seat: int) -> ScoreSheet:
        """Begin a round that ``seat`` has won, or say that of the round whose hands are still missing."""
        if self.is_over:
            raise BadScore(_("The game is over. Begin a new score sheet, or take back the last round."))
        if seat in self.story.at(None).position["out"]:
            raise BadScore(_("{name} is out of the game.", name=self.names[seat]))
        begun = self.rounds[-1].hands if self.to_show else {}
        before = self.rounds[:-1] if self.to_show else self.rounds
        return self._with_rounds(*before, Round(seat, {other: hand for other, hand in begun.items() if other != seat}))

    def with_hand(self, seat: int, cards: Sequence[str]) -> ScoreSheet:
        """Add what ``seat`` holds in the last round, or correct it while other hands are missing."""
        if not self.to_show:
            raise BadScore(_("Say first who went out."))
        last = self.rounds[-1]
        if seat not in self.to_show and seat not in last.hands:
            raise BadScore(_("The cards of {name} do not count in this round.", name=self.names[seat]))
        if not cards:
            raise BadScore(_("{name} holds no card; only who went out has none.", name=self.names[seat]))
        hands = {**last.hands, seat: tuple(cards)}
        self._check_faces(hands.values())
        return self._with_rounds(*self.rounds[:-1], Round(last.went_out, dict(sorted(hands.items()))))

    def without_last_round(self) -> ScoreSheet:
        """Take back the last round."""
        if not self.rounds:
            raise BadScore(_("There is no round on this score sheet yet."))
        return self._with_rounds(*self.rounds[:-1])

    def _with_rounds(self, *rounds: Round) -> ScoreSheet:
        sheet = replace(self, rounds=rounds)
        if len(sheet.text) > MOST_BYTES:
            raise BadScore(_("This score sheet is full. Begin a new one."))
        return sheet

    def _check_faces(self, hands: Iterable[Sequence[str]]) -> None:
        """All hands of a round come from one deck."""
        deck = Counter[str]()
        for face, n in DECKS[self.header.ruleset.deck].items():
            deck[face.removesuffix("*")] += n
        held = Counter(card.removesuffix("*") for hand in hands for card in hand)
        for face, n in held.items():
            if face not in FACES:
                raise BadScore(_("A card is not known yet."))
            if n > deck[face]:
                raise BadScore(
                    _(
                        "{card}: {n} in this round, but the deck has {most}. One was misread.",
                        card=self.story.explainer.card(face),
                        n=n,
                        most=deck[face],
                    )
                )

    @cached_property
    def _scored(self) -> tuple[Sequence[str], Story, Sequence[Observation]]:
        lines, observations = [text_of(self.header.to_json())], list[Observation]()
        story, deck = Story(lines[0]), sum(DECKS[self.header.ruleset.deck].values())
        for one in self.rounds:
            out = (one.went_out, *story.at(None).position["out"])
            hands = [
                0 if seat in out else len(one.hands.get(seat, ())) or _UNKNOWN_HAND for seat in range(len(self.names))
            ]
            added: list[Observation] = [
                _set(phase="deal", hands=[0] * len(hands), known={}, draw_pile=deck, discard_pile=0),
                _set(phase="round_over", hands=hands, draw_pile=deck - sum(hands)),
                *(Shown(0.0, seat, tuple(cards)) for seat, cards in one.hands.items()),
            ]
            new = [text_of(to_json(observation)) for observation in added]
            story.extend(new)
            lines += new
            observations += added
        return lines, story, observations


def _set(**fields: Any) -> Observation:
    # Nobody measured a time.
    return Overrule(0.0, set=fields)


def new_sheet(
    names: Sequence[str],
    ruleset: str,
    *,
    target: int | None = None,
    lowest: bool = False,
    limit: int | None = None,
    partners: bool = False,
) -> ScoreSheet:
    """A score sheet without a round; ``limit``: points at which a player is eliminated.

    Raises:
        BadLog: the rules forbid it. BadRuleSet: there are no such rules. BadName: a name cannot be taken.
    """
    rules, n = load(ruleset), len(names)
    least, most = seats_of(rules)
    if not least <= n <= most:
        text = ngettext(
            "{n} seat: expected {least} to {most}", "{n} seats: expected {least} to {most}", n, least=least, most=most
        )
        raise BadLog(text)
    options = Options(target=target, scoring="lowest" if lowest else "winner", limit=limit)
    teams = teams_seated(rules, n) if partners else ()
    header = checked(Header(ruleset=rules, seats=player_names(names), teams=teams, options=options))
    if GameConstants(header).target is None:
        raise BadLog(
            _("{rules}: each round is a game of its own: expected the points that end the game", rules=ruleset)
        )
    return ScoreSheet(header)


def read_sheet(path: Path) -> ScoreSheet:
    """Load a score sheet. Raises `BadLog`: the file is missing or damaged."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as err:
        raise BadLog(_("{file}: {why}: begin one with croupier score new", file=path, why=err.strerror)) from err
    return ScoreSheet.parse(content, str(path))
