"""The planner: makes directives from rulings and position, for the available devices: feed, light, ask.

Owed cards follow from the position after every observation, less the cards that the shoe is feeding. No card is
therefore fed twice or forgotten, whether a job ended, jammed or ran out of cards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Final, Literal, cast

from croupier.devices.protocols import Ask, Direction, Directive, Feed, Light
from croupier.log_replay import Record
from croupier_rules.cards import KEYS
from croupier_rules.referee.observations import Drew, Fault, Observation, Overrule, Play, Redealt, Swap, Upcard
from croupier_rules.referee.position import OVER_PHASES, Position
from croupier_rules.referee.rulings import (
    CannotTell,
    ChallengeOutcome,
    ChooseColor,
    ChooseSeat,
    ChooseTarget,
    DiscardAll,
    Eliminated,
    GameOver,
    HandsMoved,
    HouseRuleIs,
    Illegal,
    MayChallenge,
    MayStack,
    Mismatch,
    Recycle,
    Redeal,
    ReturnCard,
    Ruling,
    Score,
    ShowHand,
    Turn,
    TurnUp,
)
from croupier_rules.rules import RuleSet

Plan = Callable[[Mapping[int, int]], Iterable[tuple[int, int]]]
"""Orders the feeds (seat, number of cards) that give each seat the cards that it lacks."""


def seat_by_seat(lacking: Mapping[int, int]) -> Iterable[tuple[int, int]]:
    """Give each seat all its cards at once; a `Plan`."""
    return lacking.items()


class Director:
    """Makes directives. It keeps the ordered feeds; all else follows from rulings and position.

    ``ruleset``: cards dealt to a seat, and house rules. ``first_job``: the number of the next job; a number that was
    used before would feed nothing. ``plan``: the order in which the shoe deals.
    """

    def __init__(self, ruleset: RuleSet, first_job: int = 1, plan: Plan = seat_by_seat) -> None:
        self._hand_size = ruleset.hand_size
        self._most_house_rules = ruleset.most_house_rules
        is_drawing_on = ruleset.value("turn.must_draw") == "until-it-fits"
        self._draws_in = ("turn", "roulette", *(("drawn",) if is_drawing_on else ()))
        most = ruleset.value("draw.most")
        self._most_drawn = most if isinstance(most, int) else None
        self._next_job = first_job
        self._plan = plan
        self._ordered: dict[int, Feed] = {}
        self._phase = self._recalled = ""
        self._is_dealing = False  # a round has begun, and none of its cards has arrived yet
        self._hands: Literal["held", "collected", "in the shoe"] = "held"
        self._counts: tuple[int, ...] = ()
        """Shuffle Hands: number of cards that each seat held."""
        self._to_redeal: dict[int, int] = {}
        """Shuffle Hands: number of cards that each seat still gets."""
        self._on_turn: int | None = None
        self._laid_by: int | None = None
        self._light: Light | None = None

    @property
    def phase(self) -> str:
        """The phase for which the shoe feeds: the position's phase, or that before a pause.

        ``deal`` from the first feed of a deal on; ``collect`` while, after Shuffle Hands, the hands go into the shoe.
        """
        if self._is_dealing:
            return "deal"
        phase = self._phase or self._recalled
        return "collect" if phase == "redeal" and self._hands != "in the shoe" else phase

    def replay(self, begin: str, past: Sequence[Record]) -> Ask | None:
        """Take in the steps before a restart of the program, from the phase ``begin`` on.

        Returns the question that was open then. Questions that follow from the phase come again by themselves.
        """
        self._phase = begin
        asked: Ask | None = None
        for step in past:
            for directive in self.direct(step.rulings, step.position, (step.observation,)):
                if isinstance(directive, Ask) and directive.what != "clear-fault":
                    asked = directive
            self._ordered.clear()
        self._recalled, self._phase, self._light = self._phase, "", None
        if self._hands == "collected":
            self._hands = "held"
        return asked

    def recall(self, jobs: Iterable[Feed]) -> None:
        """Take in jobs that were begun before a restart: their cards are on the way."""
        self._ordered.update((feed.job, feed) for feed in jobs)

    def done(self, job: int) -> None:
        """Close a job that is finished or given up; cards that it did not feed may be ordered again."""
        self._ordered.pop(job, None)

    def deal(self, position: Position) -> tuple[Directive, ...]:
        """Deal the next round: all cards are in the shoe."""
        self._is_dealing = True
        return tuple(self._feeds(position))

    def redeal(self, position: Position) -> tuple[Directive, ...]:
        """Deal again after Shuffle Hands: all hands are in the shoe."""
        if self._hands == "collected":
            self._hands = "in the shoe"
        return tuple(self._feeds(position))

    def serve(self, seat: int, position: Position) -> tuple[Directive, ...]:
        """Feed the card that a seat asked for, if it may draw one now and no card is on its way to it."""
        on_its_way = any(feed.seat == seat for feed in self._ordered.values())
        if position.phase not in self._draws_in or position.turn != seat or position.owed.get(seat) or on_its_way:
            return ()
        if position.phase == "drawn" and position.turned_up == self._most_drawn:
            return ()
        return (self._order(seat, 1, is_wished=True),)

    def direct(
        self, rulings: Sequence[Ruling], position: Position, observations: Sequence[Observation] = ()
    ) -> tuple[Directive, ...]:
        """Make the directives after ``observations`` that led to ``rulings`` and ``position``."""
        directives: list[Directive] = []
        if position.phase == "paused" and any(isinstance(one, Fault) for one in observations):
            directives.append(Ask("clear-fault"))
        if any(isinstance(one, Play | Upcard) for one in observations) and any(
            isinstance(one, Mismatch) for one in rulings
        ):
            directives.append(Ask("which-card"))
        refused = {ruling.seat for ruling in rulings if isinstance(ruling, Illegal)}
        # Cards that the shoe fed meanwhile are not owed any more: a penalty that was taken back.
        unowed = [one for one in observations if isinstance(one, Drew) and one.seat in refused]
        directives.extend(Ask("give-back", seat=one.seat, n=one.n) for one in unowed)
        directives.extend(self._house_rule_to_make(observations, rulings, position))
        for ruling in rulings:
            directives.extend(self._asked(ruling, position, observations, rulings))
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

    def _asked(
        self, ruling: Ruling, position: Position, observations: Sequence[Observation], rulings: Sequence[Ruling]
    ) -> Iterator[Ask]:
        last = observations[-1] if observations else None
        match ruling:
            case Turn() if ruling.seat == position.turn and position.phase not in OVER_PHASES:
                # Of repeated observations, only the last has the present position.
                yield Ask("turn", seat=ruling.seat, card=position.top)
            case ChooseColor():
                yield Ask("name-color", seat=ruling.seat, card=position.top)
            case MayStack():
                challengers = tuple(seat for one in rulings if isinstance(one, MayChallenge) for seat in one.seats)
                yield Ask("stack", seat=ruling.seat, card=position.top, n=ruling.n, seats=challengers)
            case ChooseSeat() | ChooseTarget():
                yield Ask("choose-seat", seat=ruling.seat, card=position.top)
            case DiscardAll():
                yield Ask("discard", seat=ruling.seat, card=position.top)
            case TurnUp():
                yield Ask("turn-up-cards", seat=ruling.seat, card=position.top)
            case Eliminated() if ruling.rule == "hand.limit":
                yield Ask("give-up-hand", seat=ruling.seat)
            case HandsMoved() if isinstance(last, Play | Swap):
                yield Ask("move-hands", seat=position.turn, card=position.top, seats=_whose_hands(last, position))
            case CannotTell(about="play", seats=(_one, _other)) if isinstance(last, Play):
                # Two cards without an order: the first stands.
                yield Ask("take-back", seat=last.seat, card=last.card)
            case MayChallenge() if position.phase != "stack":
                # If any seat may challenge, the seat that must draw is the one to ask.
                seat = position.next_seat if position.next_seat in ruling.seats else ruling.seats[0]
                yield Ask("answer", seat=seat, card=position.top, seats=ruling.seats)
            case ShowHand():
                yield Ask("show-hand", seat=ruling.seat, seats=(ruling.to,))
            case HouseRuleIs(state="run"):
                yield Ask("follow-rule", card=position.top, numbers=(ruling.number,))
            case Illegal(why="must-play-drawn"):
                yield Ask("play-drawn", seat=ruling.seat)
            case Illegal(card=None) if position.phase == "turn" and position.turn == ruling.seat:
                # It drew its penalty and passed: it is still its turn.
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

    def _house_rule_to_make(
        self, observations: Sequence[Observation], rulings: Sequence[Ruling], position: Position
    ) -> Iterator[Ask]:
        """Ask the seat that laid a card with the icon, or the house wild, for a house rule."""
        cards = [one.card for one in observations if isinstance(one, Play)]
        if cards and len(observations) == 1:
            # The seat of a corrected card is unchanged.
            self._laid_by = self._on_turn
        self._on_turn = position.turn
        refused = {ruling.card for ruling in rulings if isinstance(ruling, Illegal)}
        if not cards or cards[-1] != position.top or cards[-1] in refused or position.phase in OVER_PHASES:
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
        """Order the owed cards that are not ordered yet: seat by seat, the dealer last; after Shuffle Hands in the
        direction of play, from the seat that laid the card."""
        if position.phase == "paused" or self.phase == "collect":
            return
        seats = len(position.hands)
        first, step = (position.dealer or 0) + 1, 1
        due: dict[int, int] = dict(position.owed) if position.draw_pile else {}
        if position.phase == "deal" or self._is_dealing:
            dealt = (0,) * seats if self._is_dealing else position.hands
            due = {seat: self._hand_size(seats) - dealt[seat] for seat in range(seats) if seat not in position.out}
        elif position.phase == "redeal":
            # Owed cards wait: the hands lie on top of the draw pile.
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


def _whose_hands(moved_by: Play | Swap, position: Position) -> tuple[int, ...]:
    """Return by seat whose hand it gets: of two that swap, or all hands go on in the direction of play."""
    whose = list(range(len(position.hands)))
    if isinstance(moved_by, Swap):
        whose[moved_by.seat], whose[moved_by.with_] = moved_by.with_, moved_by.seat
        return tuple(whose)
    players = [seat for seat in whose if seat not in position.out]
    for place, seat in enumerate(players):
        whose[players[(place + position.step) % len(players)]] = seat
    return tuple(whose)


def _light(position: Position) -> Light:
    """Return the state of the ring at this position. Of several seats that owe cards, it shows who owes most."""
    draws, seats, turn = None, tuple[int, ...](), position.turn
    mode: Literal["play", "challenge", "penalty", "choose", "fault"] = "play"
    if position.phase == "paused":
        mode = "fault"
    elif position.phase == "challenge":
        mode = "challenge"
    elif position.phase in ("swap", "target"):
        mode = "choose"
        seats = tuple(seat for seat in range(len(position.hands)) if seat != turn and seat not in position.out)
    elif position.phase == "stack" and turn is not None:
        mode, draws = "penalty", (turn, position.stack)
    elif position.owed:
        mode, draws = "penalty", max(position.owed.items(), key=lambda owed: owed[1])
    color = None if position.color is None else KEYS[position.color]
    return Light(turn, cast(Direction, position.direction), color, mode, draws, seats)


_HANDS_MAY_BE_OPEN: Final = ("challenge", "round_over", "game_over", "paused")
"""Phases in which a hand may lie open or be due."""


class RoundEnd:
    """Follows the end of a round: which hand is due next, and whether the round is scored.

    A challenge also opens a hand, during a round.
    """

    def __init__(self) -> None:
        self.hands_due: tuple[int, ...] = ()
        """The seats whose hands are due, first the one that was asked for; at the end of a round another may come
        first."""
        self.is_scored = self.is_game_over = False
        """True when the round has been scored; True when that was the last round of the game."""

    def follow(self, step: Record) -> Ask | None:
        """Take in a step. Returns a request if another hand than before is due."""
        position = step.position
        if position.phase not in _HANDS_MAY_BE_OPEN:
            # An undone end of round does not count: the seat still holds cards.
            self.hands_due = ()
            self.is_scored = self.is_game_over = False
        for ruling in step.rulings:
            match ruling:
                case ShowHand():
                    self.hands_due = (ruling.seat,)
                case ChallengeOutcome() | MayChallenge() | MayStack():  # judged, or undone
                    self.hands_due = ()
                case Score():
                    self.is_scored = True
                case GameOver():
                    self.is_scored = self.is_game_over = True
        if isinstance(step.observation, Overrule) and step.fields.get("resumes", position.phase) == "round_over":
            # People counted the hands themselves; a change of players, which also sets who is out, counts nothing.
            fields = step.observation.set or {}
            self.is_scored |= fields.keys() & {"scores", "out"} == {"scores"}
        if position.phase != "round_over":
            return None
        # Who still owes cards draws them first.
        left = () if self.is_scored else (seat for seat in step.to_show if not position.owed.get(seat))
        was_due = self.hand_due
        self.hands_due = tuple(sorted(left, key=lambda seat: seat != was_due))
        return Ask("show-hand", seat=self.hand_due) if self.hand_due not in (None, was_due) else None

    @property
    def hand_due(self) -> int | None:
        """The seat whose hand was asked for."""
        return next(iter(self.hands_due), None)

    def announce(self, seat: int) -> Ask | None:
        """Ask for the hand of ``seat`` before those of the others; None if it is not due, or was asked for already."""
        if seat not in self.hands_due[1:]:
            return None
        self.hands_due = (seat, *sorted({*self.hands_due} - {seat}))
        return Ask("show-hand", seat=seat)
