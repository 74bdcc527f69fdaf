"""Turns rulings into directives for the devices that are there: feed, light, ask, say.

What is owed is read from the position after every observation, less what the shoe is already feeding. So nothing is
fed twice and nothing is forgotten, whether a job ran, jammed or ran out of cards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Literal, cast

from croupier.devices.protocols import Ask, Direction, Directive, Feed, Light, Say
from croupier.referee import Explainer
from croupier.referee.observations import Drew, Fault, Observation, Play, Redealt, Upcard
from croupier.referee.position import Position
from croupier.referee.rulings import (
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
    ShowHand,
    Turn,
)
from croupier.rules import RuleSet

Plan = Callable[[Mapping[int, int]], Iterable[tuple[int, int]]]
"""The feeds, each a seat and a number of cards, that bring each seat as many as it lacks."""


def seat_by_seat(lacking: Mapping[int, int]) -> Iterable[tuple[int, int]]:
    """A `Plan`: each seat gets all its cards at once."""
    return lacking.items()


_AT_AN_END = ("round_over", "game_over")


class Director:
    """Keeps what the shoe was asked for; everything else follows from rulings and position.

    ``explainer``: what is said aloud. ``ruleset``: how many cards each seat is dealt, and whether house rules are made.
    ``first_job``: the number of the next job; none may have been used before, or the shoe would feed nothing. ``plan``:
    in which order a shoe deals so many cards to each seat; without, seat by seat.
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
        self._is_dealing = False
        """Whether a round has been begun of which no card has arrived yet."""
        self._hands: Literal["held", "collected", "in the shoe"] = "held"
        self._counts: tuple[int, ...] = ()
        """Shuffle Hands: how many cards each seat held …"""
        self._to_redeal: dict[int, int] = {}
        """… and how many it is still to get."""
        self._on_turn: int | None = None
        self._laid_by: int | None = None
        self._light: Light | None = None

    @property
    def phase(self) -> str:
        """What the shoe feeds for: as in the position, and while play is paused as before; ``deal`` from the first
        order, ``collect`` while the hands are on their way into the shoe, after Shuffle Hands."""
        if self._is_dealing:
            return "deal"
        phase = self._phase or self._recalled
        return "collect" if phase == "redeal" and self._hands != "in the shoe" else phase

    def recall(self, begin: str, past: Sequence[tuple[Observation, Sequence[Ruling], Position]]) -> Ask | None:
        """This happened, from the phase ``begin`` on, before the program was started anew. Returns what was asked last
        then; what follows from the phase is asked again by itself."""
        self._phase = begin
        asked: Ask | None = None
        for told, rulings, position in past:
            for directive in self.direct(rulings, position, (told,)):
                if isinstance(directive, Ask) and directive.what != "clear-fault":
                    asked = directive
            self._ordered.clear()
        self._recalled, self._phase, self._light = self._phase, "", None
        self._is_dealing = False
        if self._hands == "collected":
            self._hands = "held"
        return asked

    def done(self, job: int) -> None:
        """A job is finished or given up: what it did not feed may be ordered again."""
        self._ordered.pop(job, None)

    def deal(self, position: Position) -> tuple[Directive, ...]:
        """Begin the next round: everybody's cards are in the shoe again."""
        self._is_dealing = True
        return tuple(self._feeds(position))

    def redeal(self, position: Position) -> tuple[Directive, ...]:
        """After Shuffle Hands: everybody's hand is in the shoe, deal the cards anew."""
        if self._hands == "collected":
            self._hands = "in the shoe"
        return tuple(self._feeds(position))

    def serve(self, seat: int, position: Position) -> tuple[Directive, ...]:
        """The seat asks for a card: it gets one if it is its turn to draw and none is on its way."""
        on_its_way = any(feed.seat == seat for feed in self._ordered.values())
        if position.phase != "turn" or position.turn != seat or position.owed.get(seat) or on_its_way:
            return ()
        return (self._order(seat, 1, is_wished=True),)

    def direct(
        self, rulings: Sequence[Ruling], position: Position, told: Sequence[Observation] = ()
    ) -> tuple[Directive, ...]:
        """What the devices are to do now, after what was ``told`` led to ``rulings`` and ``position``."""
        directives: list[Directive] = [Say(self._explainer.said(ruling).text) for ruling in rulings]
        if position.phase == "paused" and any(isinstance(one, Fault) for one in told):
            directives.append(Ask("clear-fault"))
        if any(isinstance(one, Play | Upcard) for one in told) and any(isinstance(one, Mismatch) for one in rulings):
            directives.append(Ask("which-card"))
        refused = {ruling.seat for ruling in rulings if isinstance(ruling, Illegal)}
        # What the shoe fed meanwhile was owed no longer: a penalty that was taken back.
        unowed = [one for one in told if isinstance(one, Drew) and one.seat in refused]
        directives.extend(Ask("give-back", seat=one.seat, n=one.n) for one in unowed)
        directives.extend(self._house_rule_to_make(told, rulings, position))
        for ruling in rulings:
            directives.extend(self._asked(ruling, position))
        if position.phase not in ("paused", self._phase):
            self._phase = position.phase
            self._is_dealing = False
            if position.phase == "pick":
                directives.append(Ask("choose-dealer"))
            if position.phase == "upcard":
                directives.append(Ask("turn-up", seat=position.dealer))
        directives.extend(self._hands_to_collect(told, rulings, position))
        light = _light(position)
        if light != self._light:
            self._light = light
            directives.append(light)
        directives.extend(self._feeds(position))
        return tuple(directives)

    def hand_to_show(self, position: Position, shown: frozenset[int]) -> Ask | None:
        """At the end of a round: the next seat whose hand is to be laid open, ``shown`` being those already read."""
        for seat, n in enumerate(position.hands):
            if position.phase == "round_over" and n > 0 and seat not in shown and not position.owed.get(seat):
                return Ask("show-hand", seat=seat)
        return None

    def _asked(self, ruling: Ruling, position: Position) -> Iterator[Ask]:
        match ruling:
            case Turn() if ruling.seat == position.turn and position.phase not in _AT_AN_END:
                # Of what was told anew only the last is how the table stands.
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
        self, told: Sequence[Observation], rulings: Sequence[Ruling], position: Position
    ) -> Iterator[Ask]:
        """Who laid a card with the icon, or the house wild, may make or change a rule, where there is one to make."""
        cards = [one.card for one in told if isinstance(one, Play)]
        if cards and len(told) == 1:
            # A card that is told anew, corrected, was laid by the same seat.
            self._laid_by = self._on_turn
        self._on_turn = position.turn
        refused = {ruling.card for ruling in rulings if isinstance(ruling, Illegal)}
        if not cards or cards[-1] != position.top or cards[-1] in refused or position.phase in _AT_AN_END:
            return
        if numbers := self._may_be_ruled(cards[-1], position.house_rules.keys()):
            yield Ask("make-rule", seat=self._laid_by, card=cards[-1], numbers=tuple(sorted(numbers)))

    def _may_be_ruled(self, card: str, ruled: Set[int]) -> Set[int]:
        """The numbers for which who laid ``card`` may make a rule, or change it."""
        if card == "wild-house":
            return ruled
        if card.endswith("*") and len(ruled) < self._most_house_rules:
            return {int(card.rstrip("*").partition("-")[2])} - ruled
        return set()

    def _hands_to_collect(
        self, told: Sequence[Observation], rulings: Sequence[Ruling], position: Position
    ) -> Iterator[Ask]:
        """Shuffle Hands: the hands are asked for as soon as nothing more is on its way to one of them."""
        for ruling in rulings:
            if isinstance(ruling, Redeal):
                self._to_redeal = dict(enumerate(ruling.counts))
        for one in told:
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
        """What is still to be dealt or drawn and not yet ordered, seat by seat, the dealer last; after Shuffle Hands
        in the direction of play, beginning with who laid the card."""
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
    """What the ring shows at this position."""
    mode: Literal["play", "challenge", "penalty", "fault"] = "penalty" if position.owed else "play"
    if position.phase == "paused":
        mode = "fault"
    elif position.phase == "challenge":
        mode = "challenge"
    return Light(position.turn, cast(Direction, position.direction), position.color, mode)
