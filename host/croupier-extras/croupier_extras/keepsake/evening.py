"""An evening as it is remembered: who stood where, the rounds, and the best moments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from croupier.errors import BadLog
from croupier.game_views.podium import Standing, podium
from croupier.game_views.rounds import FinishedRound
from croupier.game_views.signs import Mark, Sign, account_signs
from croupier.game_views.story import Moment, Story
from croupier.i18n import _, marked
from croupier.plugins import DrawnGame
from croupier_rules.referee.rulings import Caught, ChallengeOutcome, Draw, Eliminated, RoundOver, Score

_MANY_CARDS: Final = 6
"""Cards at once of which a table talks: more than a +4 alone."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A moment as it is judged: ``scored``: the round whose points were counted by it; ``led``: who led before;
    ``is_last_round``: the game was won by its round."""

    moment: Moment
    scored: FinishedRound | None
    led: tuple[int, ...]
    is_last_round: bool


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of moments. ``weight``: the larger the better; ``size``: compares moments of the kind with each other,
    None if a moment is not of it; ``tells``: the rulings that say what happened, after what was seen (``seen``);
    ``is_single``: only the largest is of the kind."""

    name: str
    weight: int
    title: str
    size: Callable[[Seen], float | None]
    tells: tuple[str, ...]
    is_single: bool = False


def _challenged(guilty: bool) -> Callable[[Seen], float | None]:
    def size(seen: Seen) -> float | None:
        found = (one for one in seen.moment.rulings if isinstance(one, ChallengeOutcome))
        return next((1.0 for one in found if one.guilty is guilty), None)

    return size


def _ruled(kind: type) -> Callable[[Seen], float | None]:
    return lambda seen: 1.0 if any(isinstance(one, kind) for one in seen.moment.rulings) else None


def _last_card(seen: Seen) -> float | None:
    return _ruled(RoundOver)(seen) if seen.is_last_round else None


def _drawn(seen: Seen) -> float | None:
    most = max((one.n for one in seen.moment.rulings if isinstance(one, Draw)), default=0)
    return most if most >= _MANY_CARDS else None


def _new_leader(seen: Seen) -> float | None:
    if seen.scored is None or not seen.led or set(seen.led) & set(seen.scored.leaders):
        return None
    return max(seen.scored.points.values(), default=0)


def _points(seen: Seen) -> float | None:
    return None if seen.scored is None else max(seen.scored.points.values(), default=None)


KINDS: Final = (
    Kind("bluff", 100, marked("Bluff called"), _challenged(guilty=True), ("challenge",)),
    Kind("caught", 90, marked("Caught without UNO"), _ruled(Caught), ("caught",)),
    Kind("in-vain", 80, marked("Challenged in vain"), _challenged(guilty=False), ("challenge", "draw")),
    Kind("last-card", 70, marked("The last card"), _last_card, ("seen", "round_over")),
    Kind("lead", 60, marked("A new leader"), _new_leader, ("score",)),
    Kind("many-cards", 50, marked("A handful of cards"), _drawn, ("seen", "draw")),
    Kind("eliminated", 45, marked("Out of the game"), _ruled(Eliminated), ("eliminated",)),
    Kind("points", 40, marked("Most points in one round"), _points, ("score",), is_single=True),
    Kind("round", 30, marked("Round won"), _ruled(RoundOver), ("seen", "round_over")),
)
"""What people talk about afterwards, the best first."""


@dataclass(frozen=True, slots=True)
class BestMoment:
    """A moment that is worth to be remembered, with the ``text`` of what happened."""

    kind: Kind
    moment: Moment
    text: str

    @property
    def title(self) -> str:
        """What kind of moment it is, in words."""
        return _(self.kind.title)


def best_moments(story: Story, most: int = 3) -> tuple[BestMoment, ...]:
    """The best moments of a game as its record stands, the best first.

    One of each kind comes before the second of any; of a kind the largest, then the latest.
    """
    scored = {one.n: one for one in story.scores_at(story.at(None))}
    last, won = max((one.round for one in scored.values()), default=0), story.winner is not None
    led: tuple[int, ...] = ()
    of_kind: dict[str, list[tuple[float, int, Kind, Moment]]] = {}
    for moment in story.standing:
        if moment.round > last:
            break  # of the round that is played now nothing is told
        seen = Seen(moment, scored.get(moment.n), led, won and moment.round == last)
        led = seen.scored.leaders if seen.scored is not None else led
        for kind in KINDS:
            if (size := kind.size(seen)) is not None:
                of_kind.setdefault(kind.name, []).append((size, moment.n, kind, moment))
                break
    ranked = [
        (place, -kind.weight, n, kind, moment)
        for found in of_kind.values()
        for place, (_size, n, kind, moment) in enumerate(sorted(found, key=lambda one: one[:2], reverse=True))
        if not (place and kind.is_single)
    ]
    chosen = sorted(ranked, key=lambda one: one[:3])[:most]
    return tuple(BestMoment(kind, moment, text_of(story, moment, kind)) for *_rank, kind, moment in chosen)


def text_of(story: Story, moment: Moment, kind: Kind) -> str:
    """What happened at a moment, in the present language."""
    text = story.describe(moment)
    said = [ruling.text for ruling in text.rulings if ruling.name in kind.tells]
    return " ".join([text.seen, *said] if "seen" in kind.tells else said)


@dataclass(frozen=True, slots=True)
class Evening:
    """A game to be remembered. ``day``: on which it began, if known; ``best``: its best moments, the best first;
    ``signs``: of the players, by account."""

    story: Story
    day: date | None
    podium: tuple[Standing, ...]
    rounds: Sequence[FinishedRound]
    best: tuple[BestMoment, ...]
    signs: tuple[tuple[Sign, ...], ...]
    marks: Mapping[str, Mark]

    @classmethod
    def of(cls, game: DrawnGame) -> Evening:
        """The evening of a game, as far as its points were counted.

        Raises:
            BadLog: no round was counted yet.
        """
        story = game.story
        now = story.at(None)
        rounds = story.scores_at(now)
        if not rounds:
            raise BadLog(_("No round of this game was counted yet: there is nothing to send. Play a round to its end "
                           "first."))  # fmt: skip
        signs = account_signs(story.header.seats, story.header.teams, game.marks)
        return cls(story, game.began, podium(story), rounds, best_moments(story), signs, game.marks)

    @property
    def headline(self) -> str:
        """Who has won, or who leads after how many rounds."""
        if text := self.story.winner_text:
            return text.removesuffix(".")
        return _("After round {n}: {names}", n=self.rounds[-1].round, names=", ".join(self._leaders))

    @property
    def _leaders(self) -> list[str]:
        return [one.name for one in self.podium if one.leads]

    def summary_of(self, finished: FinishedRound) -> list[str]:
        """A round in sentences: who went out, who got the points, and who leads then."""
        story = self.story
        said = [] if finished.went_out is None else [_("{name} wins the round", name=finished.names[finished.went_out])]
        counted = [one for one in story.standing if one.round == finished.round and one.n <= finished.n]
        said += [
            ruling.text.removesuffix(".")
            for moment in counted
            for given, ruling in zip(moment.rulings, story.describe(moment).rulings, strict=True)
            if isinstance(given, Score) and given.points
        ]
        leaders = ", ".join(story.accounts[account] for account in finished.leaders)
        return [f"{one}." for one in (*said, _("In the lead: {names}", names=leaders))]

    def moments_of(self, finished: FinishedRound) -> tuple[BestMoment, ...]:
        """The best moments of a round that is over."""
        return tuple(
            one for one in self.best if one.moment.round == finished.round and one.kind.name not in ("points", "lead")
        )
