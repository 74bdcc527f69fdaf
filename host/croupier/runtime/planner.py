"""The planner: rulings become directives for the devices that are there: feed, light, ask, say.

What is owed is read from the position after every observation, less what the shoe is already feeding. So nothing is
fed twice and nothing is forgotten, whether a job ended, jammed or ran out of cards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Final, Literal, cast

from croupier.devices.protocols import Ask, Direction, Directive, Feed, Light, Say
from croupier.events import RefereedStep
from croupier.referee import Explainer
from croupier.referee.observations import Drew, Fault, Observation, Overrule, Play, Redealt, Shown, Upcard
from croupier.referee.position import Position
from croupier.referee.rulings import (
    CannotTell,
    ChallengeOutcome,
    ChooseColor,
    GameOver,
    HouseRuleIs,
    Illegal,
    MayChallenge,
    Mismatch,
    Recycle,
    Redeal,
    ReturnCard,
    Ruling,
    Score,
    ShowHand,
    Turn,
)
from croupier.rules import RuleSet

Plan = Callable[[Mapping[int, int]], Iterable[tuple[int, int]]]
"""Orders the feeds, each a seat and a number of cards, that bring each seat as many cards as it lacks."""


def seat_by_seat(lacking: Mapping[int, int]) -> Iterable[tuple[int, int]]:
    """Give each seat all its cards at once; a `Plan`."""
    return lacking.items()


_AT_AN_END = ("round_over", "game_over")


class Director:
    """Makes directives. It keeps the feeds that the shoe was asked for; all else follows from rulings and position.

    ``explainer``: puts rulings into words for the voice. ``ruleset``: cards dealt to a seat, and house rules.
    ``first_job``: the number of the next job; a number that was used before would feed nothing. ``plan``: the order in
    which the shoe deals.
    """

    def __init__(
        self, explainer: Explainer, ruleset: RuleSet, first_job: int = 1, plan: Plan = seat_by_seat
    ) -> None:  # fmt: skip
        self._explainer = explainer
        self._hand = ruleset.number("deal.hand")
        self._most_house_rules = ruleset.most_house_rules
        self._next_job = first_job
        self._plan = plan
        self._ordered: dict[int, Feed] = {}
        self._phase = self._recalled = ""
        self._is_dealing = False  # a round was begun, and none of its cards has arrived yet
        self._hands: Literal["held", "collected", "in the shoe"] = "held"
        self._counts: tuple[int, ...] = ()
        """Shuffle Hands: the number of cards that each seat held."""
        self._to_redeal: dict[int, int] = {}
        """Shuffle Hands: the number of cards that each seat is still to get."""
        self._on_turn: int | None = None
        self._laid_by: int | None = None
        self._light: Light | None = None

    @property
    def phase(self) -> str:
        """The phase for which the shoe feeds: the position's phase, or that before a pause. ``deal`` from the first
        order of a deal on; ``collect`` while, after Shuffle Hands, the hands go into the shoe."""
        if self._is_dealing:
            return "deal"
        phase = self._phase or self._recalled
        return "collect" if phase == "redeal" and self._hands != "in the shoe" else phase

    def replay(self, begin: str, past: Sequence[RefereedStep]) -> Ask | None:
        """Take in what happened before the program was restarted, from the phase ``begin`` on. Returns the question
        that was open then; questions that follow from the phase come again by themselves."""
        self._phase = begin
        asked: Ask | None = None
        for step in past:
            for directive in self.direct(step.rulings, step.position, (step.observation,)):
                if isinstance(directive, Ask) and directive.what != "clear-fault":
                    asked = directive
            self._ordered.clear()
        self._recalled, self._phase, self._light = self._phase, "", None
        self._is_dealing = False
        if self._hands == "collected":
            self._hands = "held"
        return asked

    def recall(self, jobs: Iterable[Feed]) -> None:
        """Take in jobs that were begun before the program was restarted: their cards are on the way."""
        self._ordered.update((feed.job, feed) for feed in jobs)

    def done(self, job: int) -> None:
        """Close a job that is finished or given up: cards that it did not feed may be ordered again."""
        self._ordered.pop(job, None)

    def deal(self, position: Position) -> tuple[Directive, ...]:
        """Deal the next round: all cards are in the shoe again."""
        self._is_dealing = True
        return tuple(self._feeds(position))

    def redeal(self, position: Position) -> tuple[Directive, ...]:
        """Deal again after Shuffle Hands: all hands are in the shoe."""
        if self._hands == "collected":
            self._hands = "in the shoe"
        return tuple(self._feeds(position))

    def serve(self, seat: int, position: Position) -> tuple[Directive, ...]:
        """Feed the card that a seat asked for, if it is the seat's turn to draw and no card is on its way to it."""
        on_its_way = any(feed.seat == seat for feed in self._ordered.values())
        if position.phase != "turn" or position.turn != seat or position.owed.get(seat) or on_its_way:
            return ()
        return (self._order(seat, 1, is_wished=True),)

    def direct(
        self, rulings: Sequence[Ruling], position: Position, observations: Sequence[Observation] = ()
    ) -> tuple[Directive, ...]:
        """Make the directives after ``observations`` that led to ``rulings`` and ``position``."""
        directives: list[Directive] = [Say(self._explainer.said(ruling).text) for ruling in rulings]
        if position.phase == "paused" and any(isinstance(one, Fault) for one in observations):
            directives.append(Ask("clear-fault"))
        if any(isinstance(one, Play | Upcard) for one in observations) and any(
            isinstance(one, Mismatch) for one in rulings
        ):
            directives.append(Ask("which-card"))
        refused = {ruling.seat for ruling in rulings if isinstance(ruling, Illegal)}
        # What the shoe fed meanwhile was owed no longer: a penalty that was taken back.
        unowed = [one for one in observations if isinstance(one, Drew) and one.seat in refused]
        directives.extend(Ask("give-back", seat=one.seat, n=one.n) for one in unowed)
        directives.extend(self._house_rule_to_make(observations, rulings, position))
        for ruling in rulings:
            directives.extend(self._asked(ruling, position))
        if position.phase not in ("paused", self._phase):
            self._phase = position.phase
            self._is_dealing = False
            if position.phase == "pick":
                directives.append(Ask("choose-dealer"))
            if position.phase == "upcard":
                directives.append(Ask("turn-up", seat=position.dealer))
        directives.extend(self._hands_to_collect(observations, rulings, position))
        light = _light(position)
        if light != self._light:
            self._light = light
            directives.append(light)
        directives.extend(self._feeds(position))
        return tuple(directives)

    def _asked(self, ruling: Ruling, position: Position) -> Iterator[Ask]:
        match ruling:
            case Turn() if ruling.seat == position.turn and position.phase not in _AT_AN_END:
                # Of observations that were made once more only the last shows how the table stands.
                yield Ask("turn", seat=ruling.seat, card=position.top)
            case ChooseColor():
                yield Ask("name-color", seat=ruling.seat, card=position.top)
            case MayChallenge():
                # Where a document lets any seat challenge, the one that must draw still is the one to be asked.
                seat = position.next_seat if position.next_seat in ruling.seats else ruling.seats[0]
                yield Ask("answer", seat=seat, card=position.top, seats=ruling.seats)
            case ShowHand():
                yield Ask("show-hand", seat=ruling.seat, seats=(ruling.to,))
            case HouseRuleIs(state="run"):
                yield Ask("follow-rule", card=position.top, numbers=(ruling.number,))
            case Illegal(why="must-play-drawn"):
                yield Ask("play-drawn", seat=ruling.seat)
            case Illegal(card=None) if position.phase == "turn" and position.turn == ruling.seat:
                # It took a penalty for its draw, and passed: it is still its turn.
                yield Ask("turn", seat=ruling.seat, card=position.top)
            case Illegal() if ruling.card is not None:
                yield Ask("take-back", seat=ruling.seat, card=ruling.card)
            case ReturnCard():
                yield Ask("return-card", seat=position.dealer, card=ruling.card, to=ruling.to)
                yield Ask("turn-up", seat=position.dealer)
            case Recycle():
                yield Ask("recycle", seat=position.dealer)
            case GameOver():
                yield Ask("done")
            case _:
                return

    def _house_rule_to_make(
        self, observations: Sequence[Observation], rulings: Sequence[Ruling], position: Position
    ) -> Iterator[Ask]:
        """Ask the seat that laid a card with the icon, or the house wild, for a house rule."""
        cards = [one.card for one in observations if isinstance(one, Play)]
        if cards and len(observations) == 1:
            # A corrected card was laid by the same seat as before.
            self._laid_by = self._on_turn
        self._on_turn = position.turn
        refused = {ruling.card for ruling in rulings if isinstance(ruling, Illegal)}
        if not cards or cards[-1] != position.top or cards[-1] in refused or position.phase in _AT_AN_END:
            return
        if numbers := self._may_be_ruled(cards[-1], position.house_rules.keys()):
            yield Ask("make-rule", seat=self._laid_by, card=cards[-1], numbers=tuple(sorted(numbers)))

    def _may_be_ruled(self, card: str, ruled: Set[int]) -> Set[int]:
        """Return the numbers for which the seat that laid ``card`` may make or change a rule."""
        if card == "wild-house":
            return ruled
        if card.endswith("*") and len(ruled) < self._most_house_rules:
            return {int(card.rstrip("*").partition("-")[2])} - ruled
        return set()

    def _hands_to_collect(
        self, observations: Sequence[Observation], rulings: Sequence[Ruling], position: Position
    ) -> Iterator[Ask]:
        """Ask for the hands after Shuffle Hands, as soon as no card is on its way to a seat."""
        for ruling in rulings:
            if isinstance(ruling, Redeal):
                self._to_redeal = dict(enumerate(ruling.counts))
        for one in observations:
            if isinstance(one, Redealt):
                self._hands = "in the shoe"
                self._to_redeal[one.seat] -= one.n
        if position.phase not in ("redeal", "paused"):
            self._hands = "held"
            self._counts = position.hands
        elif position.phase == "redeal" and self._hands == "held" and not self._ordered:
            self._hands = "collected"
            yield Ask("collect-hands", seat=position.turn, counts=self._counts)

    def _feeds(self, position: Position) -> Iterator[Feed]:
        """Order the cards that are owed and not ordered yet, seat by seat, the dealer last; after Shuffle Hands in the
        direction of play, first the seat that laid the card."""
        if position.phase == "paused" or self.phase == "collect":
            return
        seats = len(position.hands)
        first, step = (position.dealer or 0) + 1, 1
        due: dict[int, int] = dict(position.owed) if position.draw_pile else {}
        if position.phase == "deal" or self._is_dealing:
            dealt = (0,) * seats if self._is_dealing else position.hands
            due = {seat: self._hand - dealt[seat] for seat in range(seats) if seat not in position.out}
        elif position.phase == "redeal":
            # What is owed waits: the hands lie on top of the draw pile.
            first, step = position.turn or 0, position.step
            due = self._to_redeal
        left: dict[int, int] = {}
        for seat in sorted(due, key=lambda seat: (seat - first) * step % seats):
            ordered = sum(feed.n for feed in self._ordered.values() if feed.seat == seat)
            if due[seat] > ordered:
                left[seat] = due[seat] - ordered
        for seat, n in self._plan(left) if left and self.phase == "deal" else seat_by_seat(left):
            yield self._order(seat, n)

    def _order(self, seat: int, n: int, *, is_wished: bool = False) -> Feed:
        feed = Feed(self._next_job, seat, n, is_wished)
        self._next_job += 1
        self._ordered[feed.job] = feed
        return feed


def _light(position: Position) -> Light:
    """Return what the ring shows at this position."""
    mode: Literal["play", "challenge", "penalty", "fault"] = "penalty" if position.owed else "play"
    if position.phase == "paused":
        mode = "fault"
    elif position.phase == "challenge":
        mode = "challenge"
    return Light(position.turn, cast(Direction, position.direction), position.color, mode)


_HANDS_MAY_BE_OPEN: Final = ("challenge", "round_over", "game_over", "paused")
"""The phases in which a hand may lie open, or may still have to; in all others play goes on."""


class RoundEnd:
    """Follows the end of a round: whose hand is to be laid open next, and whether the round is scored.

    A challenge has a hand laid open in the middle of a round, too."""

    def __init__(self) -> None:
        self._shown: set[int] = set()
        self.hand_due: int | None = None
        """The seat whose hand is to be laid open now."""
        self.is_round_over = self.is_game_over = False
        """True when the round has been scored; true when that was the last round of the game."""

    def begin_round(self) -> None:
        """Begin another round."""
        self.is_round_over = False

    def follow(self, step: RefereedStep) -> Ask | None:
        """Take in a step; returns the question for a hand if another hand than before is due."""
        position = step.position
        if position.phase not in _HANDS_MAY_BE_OPEN:
            # An undone end of round does not count: a seat that seemed to have gone out still holds cards.
            self._shown.clear()
            self.hand_due = None
            self.is_round_over = self.is_game_over = False
        for ruling in step.rulings:
            match ruling:
                case ShowHand():
                    self.hand_due = ruling.seat
                case ChallengeOutcome():
                    self.hand_due = None
                case Score():
                    self.is_round_over = True
                case GameOver():
                    self.is_round_over = self.is_game_over = True
        if position.phase != "round_over":
            return None
        is_doubted = any(isinstance(ruling, Mismatch | CannotTell) for ruling in step.rulings)
        match step.observation:
            case Shown(seat=seat) if not is_doubted:
                self._shown.add(seat)
            case Overrule(set=fields) if fields and "scores" in fields:
                self.is_round_over = True  # people counted the hands themselves
            case _:
                pass
        was_due, self.hand_due = self.hand_due, None if self.is_round_over else self._hand_to_show(position)
        return Ask("show-hand", seat=self.hand_due) if self.hand_due not in (None, was_due) else None

    def _hand_to_show(self, position: Position) -> int | None:
        """Return the next seat whose hand counts and was not read yet; None where no hand is left."""
        hands = enumerate(position.hands)
        return next((seat for seat, n in hands if n and seat not in self._shown and not position.owed.get(seat)), None)
