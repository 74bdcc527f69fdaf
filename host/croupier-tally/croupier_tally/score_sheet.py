"""The score sheet of an evening without a referee: for each round who went out, and the cards that the others held.

Its file is a table log: each round is set to be over, then the hands are shown. So the referee counts the points as the
rules say, and everything that reads table logs reads score sheets. A round that was counted stays in the file: who
takes it back or mends it adds lines, which undo it and tell it and all later rounds anew. A tick begins each round,
so that there is something to undo also where no hand counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from croupier.errors import BadLog, BadScore
from croupier.game_views.podium import Standing, podium
from croupier.game_views.story import Story
from croupier.i18n import _, ngettext
from croupier.journal.log_file import text_of
from croupier.log_replay import Record, replay_lines
from croupier.names import player_names
from croupier_rules.cards import DECKS, FACES
from croupier_rules.referee import Header, Observation, Options
from croupier_rules.referee.header import checked, seats_of, teams_seated
from croupier_rules.referee.observations import Overrule, Shown, Tick, to_json
from croupier_rules.referee.rulings import Mismatch, Score
from croupier_rules.referee.table import GameConstants
from croupier_rules.rules import load

SUFFIX: Final = ".score"
MOST_BYTES: Final = 1 << 19
"""Of a file: some hundred rounds of ten players."""

_UNKNOWN_HAND: Final = 1
"""Number of cards of a hand that was not shown yet: the referee waits for its faces."""


@dataclass(frozen=True, slots=True)
class Round:
    """The seat that went out (None: nobody said it yet), the cards of the others by seat, as far as they were shown,
    and who dealt (None: unknown). ``is_marked``: a tick begins it, as in all files but old ones."""

    went_out: int | None
    hands: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    dealer: int | None = None
    is_marked: bool = field(default=True, compare=False)

    @property
    def undone_by(self) -> int:
        """The number of observations to undo, so that this round did not happen."""
        return 1 + len(self.hands)


@dataclass(frozen=True, slots=True)
class TakenBack:
    """All rounds from ``place`` (from 0) on were taken back; mended ones follow."""

    place: int


@dataclass(frozen=True)
class ScoreSheet:
    """A score sheet. Each change makes a new one. ``entries``: rounds as they were entered, and what was taken back.

    Raises:
        BadScore: the change is impossible; the text is for the person who wants it.
    """

    header: Header
    entries: tuple[Round | TakenBack, ...] = ()

    @classmethod
    def parse(cls, content: bytes, where: str) -> ScoreSheet:
        """The score sheet in the content of a file; ``where``: its name in errors. Raises `BadLog`."""
        if len(content) > MOST_BYTES:
            raise BadLog(_("{file}: too large: expected a score sheet", file=where))
        parsed = replay_lines(content.splitlines(keepends=True), where)
        header = next(parsed)
        assert isinstance(header, Header)
        given: list[tuple[int, Observation]] = []
        entries: list[Round | TakenBack] = []
        is_begun = False  # by a tick
        for step in parsed:
            assert isinstance(step, Record)
            given.append((step.line, step.observation))
            last = entries[-1] if entries else None
            match step.observation:
                case Tick():
                    entries.append(Round(None))
                    is_begun = True
                case Overrule(set={"phase": "deal"}):
                    dealer = step.fields["dealer"]
                    if is_begun and isinstance(last, Round):
                        entries[-1] = replace(last, dealer=dealer)
                    else:
                        entries.append(Round(None, dealer=dealer, is_marked=False))
                    is_begun = False
                case Overrule(set={"phase": "round_over", "hands": [*hands]}) if isinstance(last, Round):
                    out = step.fields["out"]
                    went_out = next((i for i, n in enumerate(hands) if not n and i not in out), None)
                    entries[-1] = replace(last, went_out=went_out)
                case Shown(seat=seat, cards=cards) if isinstance(last, Round):
                    entries[-1] = replace(last, hands={**last.hands, seat: cards})
                case Overrule(undo=int(n)):
                    entries.append(TakenBack(_place_before(_standing(entries), n)))
        if is_begun:
            entries.pop()  # a tick without its deal: the file ends there
        sheet = cls(header, tuple(entries))
        written = sheet._scored[2]
        for place, (line, observation) in enumerate(given):
            if place >= len(written) or observation != written[place]:
                raise BadLog(
                    _("{file}, line {n}: not as croupier score writes it: expected a score sheet", file=where, n=line)
                )
        return sheet

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        """The rounds as they stand now. The last may lack hands, or who went out."""
        return tuple(_standing(self.entries))

    @property
    def names(self) -> tuple[str, ...]:
        """The players, by seat."""
        return self.header.seats

    @property
    def text(self) -> str:
        """The content of the file."""
        return "".join(f"{line}\n" for line in self.lines)

    @property
    def version(self) -> str:
        """A short text that changes with each change of the sheet."""
        return sha256(self.text.encode()).hexdigest()[:12]

    @property
    def lines(self) -> Sequence[str]:
        """The lines of the file, without their ends."""
        return self._scored[0]

    @property
    def story(self) -> Story:
        """The game with its points."""
        return self._scored[1]

    @property
    def open_round(self) -> Round | None:
        """The last round, while hands of it are missing, or nobody said who went out."""
        last = self.rounds[-1] if self.rounds else None
        return last if last is not None and (last.went_out is None or self.story.hands_to_show) else None

    @property
    def counted(self) -> tuple[Round, ...]:
        """The rounds that are complete."""
        return self.rounds if self.open_round is None else self.rounds[:-1]

    @property
    def playing(self) -> tuple[int, ...]:
        """The seats that are not eliminated."""
        out = self.story.at(None).position["out"]
        return tuple(seat for seat in range(len(self.names)) if seat not in out)

    @property
    def to_show(self) -> tuple[int, ...]:
        """The seats whose hands are missing in the last round: of all who may hold cards, before anybody said who
        went out."""
        last = self.open_round
        if last is None or last.went_out is not None:
            return self.story.hands_to_show
        return tuple(seat for seat in self.playing if seat not in last.hands)

    @property
    def counts_hands(self) -> bool:
        """False if each round counts one, whatever the others held."""
        return not GameConstants(self.header).counts_rounds

    @property
    def target(self) -> int | None:
        """The points that end the game; None where players are eliminated one by one."""
        return None if self.header.options.limit is not None else GameConstants(self.header).target

    @property
    def is_over(self) -> bool:
        """True if the game is won."""
        return self.story.winner is not None

    @property
    def dealer(self) -> int | None:
        """The seat that deals the round that is open, or the next one; None if nobody said who dealt."""
        last = self.rounds[-1] if self.rounds else None
        if last is None:
            return self.header.dealer
        if self.open_round is not None:
            return last.dealer
        players = self.playing
        chosen = {"winner": last.went_out, "same": last.dealer}.get(self.header.options.deal)
        if chosen in players or last.dealer is None:
            return chosen
        out = sum(1 << seat for seat in range(len(self.names)) if seat not in players)
        return GameConstants(self.header).transitions(out).next_dealer(last.dealer)

    @property
    def podium(self) -> tuple[Standing, ...]:
        """The places, ties included."""
        return podium(self.story)

    @property
    def next_target(self) -> int | None:
        """A target to go on with once the game is won: the next multiple of the first one."""
        if self.target is None or (step := GameConstants(self._with_target(None).header).target) is None:
            return None
        return (max(self.story.at(None).position["scores"], default=0) // step + 1) * step

    def versions(self, place: int) -> tuple[Round, ...]:
        """How a round (``place`` from 0) was told before, the first version first; without the one that counts now."""
        told: list[Round] = []
        rounds: list[Round] = []
        for entry in self.entries:
            if isinstance(entry, Round):
                rounds.append(entry)
                continue
            if entry.place <= place < len(rounds) and (not told or told[-1] != rounds[place]):
                told.append(rounds[place])
            del rounds[entry.place :]
        if told and place < len(rounds) and told[-1] == rounds[place]:
            told.pop()
        return tuple(told)

    def with_dealer(self, seat: int) -> ScoreSheet:
        """Say who deals the round that is open, or the next one."""
        self._check_may_go_on(seat)
        return self._with_open(replace(self._begun(), dealer=seat))

    def with_winner(self, seat: int) -> ScoreSheet:
        """Begin a round that ``seat`` has won, or say that of the round whose hands are still missing."""
        self._check_may_go_on(seat)
        begun = self._begun()
        counts = self._with_open(replace(begun, went_out=seat, hands={})).to_show
        return self._with_open(
            replace(begun, went_out=seat, hands={other: hand for other, hand in begun.hands.items() if other in counts})
        )

    def with_hand(self, seat: int, cards: Sequence[str]) -> ScoreSheet:
        """Add what ``seat`` holds in the last round, or correct it while other hands are missing. Where the hands of
        all but one are there, that one went out."""
        if self.is_over:
            self._check_may_go_on(seat)
        begun = self._begun()
        counts = self.playing if begun.went_out is None else (*self.to_show, *begun.hands)
        if not self.counts_hands or seat not in counts:
            raise BadScore(_("The cards of {name} do not count in this round.", name=self.names[seat]))
        if not cards:
            raise BadScore(_("{name} holds no card; only who went out has none.", name=self.names[seat]))
        hands = dict(sorted({**begun.hands, seat: tuple(cards)}.items()))
        self._check_faces(hands.values())
        now = self._with_open(replace(begun, hands=hands))
        return now.with_winner(now.to_show[0]) if begun.went_out is None and len(now.to_show) == 1 else now

    def counted_round(self, place: int) -> Round:
        """The counted round at ``place`` (from 0)."""
        if not 0 <= place < len(self.counted):
            raise BadScore(_("There is no round {n} on this score sheet.", n=place + 1))
        return self.rounds[place]

    def mended(self, place: int, went_out: int | None = None, hands: Mapping[int, Sequence[str]] = {}) -> ScoreSheet:
        """Enter a counted round (``place`` from 0) anew: who went out (None: as told), and the hands that were not as
        told. What was entered before stays in the file."""
        old = self.counted_round(place)
        went_out = old.went_out if went_out is None else went_out
        assert went_out is not None  # it was counted
        back = replace(self, entries=(*self._marked_entries, TakenBack(place)))
        if went_out not in back.playing:
            raise BadScore(_("{name} is out of the game.", name=self.names[went_out]))
        told = {**old.hands, **{seat: tuple(cards) for seat, cards in hands.items()}}
        counts = back._with(Round(went_out)).to_show
        if missing := [self.names[seat] for seat in counts if not told.get(seat)]:
            raise BadScore(_("The cards of {name} are missing.", name=missing[0]))
        self._check_faces([told[seat] for seat in counts])
        new = Round(went_out, {seat: told[seat] for seat in counts}, old.dealer)
        if new == old:
            return self
        later = (replace(one, is_marked=True) for one in self.rounds[place + 1 :])
        mended = back._with(new, *later)
        rulings = [[type(ruling) for ruling in moment.rulings] for moment in mended.story.standing]
        if any(Mismatch in some for some in rulings) or sum(Score in some for some in rulings) != len(self.counted):
            raise BadScore(_("Later rounds do not fit this any more. Take back the rounds after round {n} first.",
                             n=place + 1))  # fmt: skip
        return mended

    def without_last_round(self) -> ScoreSheet:
        """Take back the last round. One that was not counted yet leaves nothing in the file."""
        if not self.rounds:
            raise BadScore(_("There is no round on this score sheet yet."))
        if self.open_round is not None:
            return replace(self, entries=self.entries[:-1])
        return self._checked(replace(self, entries=(*self._marked_entries, TakenBack(len(self.rounds) - 1))))

    def going_on(self, target: int) -> ScoreSheet:
        """Play on after the end of the game, up to another number of points."""
        if not self.is_over or self.target is None:
            raise BadScore(_("The game is not over."))
        best = self.podium[0] if self.header.options.scoring != "lowest" else self.podium[-1]
        if target <= best.points:
            raise BadScore(_("{name} has {n} points: expected a higher number.", name=best.name, n=best.points))
        return self._with_target(target)

    def rematch(self) -> ScoreSheet:
        """A new sheet for the same people and rules; the deal goes on to the next."""
        return ScoreSheet(replace(self.header, dealer=self.dealer))

    def _begun(self) -> Round:
        """The open round, or a new one."""
        return self.open_round or Round(None, dealer=self.dealer)

    def _check_may_go_on(self, seat: int) -> None:
        if self.is_over:
            raise BadScore(_("The game is over. Begin a new score sheet, or take back the last round."))
        if seat not in self.playing:
            raise BadScore(_("{name} is out of the game.", name=self.names[seat]))

    @property
    def _marked_entries(self) -> tuple[Round | TakenBack, ...]:
        """The entries, each round with its mark, without the open round, which comes again after what is undone."""
        entries = self.entries if self.open_round is None else self.entries[:-1]
        if all(one.is_marked for one in self.rounds):
            return entries
        return tuple(replace(one, is_marked=True) if isinstance(one, Round) else one for one in entries)

    def _with_open(self, changed: Round) -> ScoreSheet:
        """The sheet with this as its open round."""
        before = self if self.open_round is None else replace(self, entries=self.entries[:-1])
        return before._with(changed)

    def _with(self, *added: Round) -> ScoreSheet:
        return self._checked(replace(self, entries=(*self.entries, *added)))

    def _with_target(self, target: int | None) -> ScoreSheet:
        return replace(self, header=replace(self.header, options=replace(self.header.options, target=target)))

    @staticmethod
    def _checked(sheet: ScoreSheet) -> ScoreSheet:
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
        story, rounds = Story(lines[0]), list[Round]()
        for one in self.entries:
            if isinstance(one, Round):
                rounds.append(one)
                added = self._observations(one, story.at(None).position["out"])
            else:
                added = [Overrule(0.0, undo=sum(undone.undone_by for undone in rounds[one.place :]))]
                del rounds[one.place :]
            new = [text_of(to_json(observation)) for observation in added]
            story.extend(new)
            lines += new
            observations += added
        return lines, story, observations

    def _observations(self, one: Round, out: Sequence[int]) -> list[Observation]:
        """A round as the table log tells it. ``out``: the seats that were eliminated before."""
        deck = sum(DECKS[self.header.ruleset.deck].values())
        dealer = {} if one.dealer is None else {"dealer": one.dealer}
        seats = range(len(self.names))
        deal = _set(phase="deal", hands=[0 for _ in seats], known={}, draw_pile=deck, discard_pile=0, **dealer)
        begun = [*([Tick(0.0)] if one.is_marked else []), deal]
        if one.went_out is None and not one.hands:
            return begun
        empty = {one.went_out, *out}
        hands = [0 if seat in empty else len(one.hands.get(seat, ())) or _UNKNOWN_HAND for seat in seats]
        shown = (Shown(0.0, seat, tuple(cards)) for seat, cards in one.hands.items())
        return [*begun, _set(phase="round_over", hands=hands, draw_pile=deck - sum(hands)), *shown]


def _standing(entries: Iterable[Round | TakenBack]) -> list[Round]:
    """The rounds that were not taken back."""
    rounds: list[Round] = []
    for entry in entries:
        if isinstance(entry, Round):
            rounds.append(entry)
        else:
            del rounds[entry.place :]
    return rounds


def _place_before(rounds: Sequence[Round], n: int) -> int:
    """The place of the round with which the last ``n`` observations begin."""
    place = len(rounds)
    while n > 0 and place:
        place -= 1
        n -= rounds[place].undone_by
    return place


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
    """A score sheet without a round. The first player deals first. ``limit``: points at which one is eliminated.

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
    header = checked(Header(ruleset=rules, seats=player_names(names), dealer=0, teams=teams, options=options))
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
