"""Turns rulings into directives for the devices that are there: feed, light, ask, say.

What is owed is read from the position after every observation, less what the shoe is already feeding. So nothing is
fed twice and nothing is forgotten, whether a job ran, jammed or ran out of cards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from croupier.app.running.position import Position
from croupier.devices.protocols import Ask, Direction, Directive, Feed, Light, Say
from croupier.referee import Explainer
from croupier.referee.observations import Drew, Fault, Observation, Play, Upcard
from croupier.referee.rulings import (
    ChooseColor,
    GameOver,
    Illegal,
    MayChallenge,
    Mismatch,
    Recycle,
    ReturnCard,
    Ruling,
    ShowHand,
    Turn,
)


class Director:
    """Keeps what the shoe was asked for; everything else follows from rulings and position.

    ``explainer``: what is said aloud. ``hand``: cards that each seat is dealt.
    """

    def __init__(self, explainer: Explainer, hand: int) -> None:
        self._explainer = explainer
        self._hand = hand
        self._next_job = 1
        self._ordered: dict[int, Feed] = {}
        self._phase = ""
        self.is_dealing = False
        """Whether a round has been begun of which no card has arrived yet."""
        self._light: Light | None = None

    def done(self, job: int) -> None:
        """A job is finished or given up: what it did not feed may be ordered again."""
        self._ordered.pop(job, None)

    def deal(self, position: Position) -> tuple[Directive, ...]:
        """Begin the next round: everybody's cards are in the shoe again."""
        self.is_dealing = True
        return tuple(self._feeds(position))

    def serve(self, seat: int, position: Position) -> tuple[Directive, ...]:
        """The seat asks for a card: it gets one if it is its turn to draw and none is on its way."""
        on_its_way = any(feed.seat == seat for feed in self._ordered.values())
        if position.phase != "turn" or position.turn != seat or position.owed.get(seat) or on_its_way:
            return ()
        return (self._order(seat, 1),)

    def direct(
        self, rulings: Sequence[Ruling], position: Position, told: Sequence[Observation] = ()
    ) -> tuple[Directive, ...]:
        """What the devices are to do now, after what was ``told`` led to ``rulings`` and ``position``."""
        directives: list[Directive] = [Say(self._explainer.said(ruling).text) for ruling in rulings]
        if any(isinstance(one, Fault) for one in told):
            directives.append(Ask("clear-fault"))
        if any(isinstance(one, Play | Upcard) for one in told) and any(isinstance(one, Mismatch) for one in rulings):
            directives.append(Ask("which-card"))
        refused = {ruling.seat for ruling in rulings if isinstance(ruling, Illegal)}
        # What the shoe fed meanwhile was owed no longer: a penalty that was taken back.
        unowed = [one for one in told if isinstance(one, Drew) and one.seat in refused]
        directives.extend(Ask("give-back", seat=one.seat, n=one.n) for one in unowed)
        for ruling in rulings:
            directives.extend(self._asked(ruling, position))
        if position.phase not in ("paused", self._phase):
            self._phase = position.phase
            self.is_dealing = False
            if position.phase == "upcard":
                directives.append(Ask("turn-up", seat=position.dealer))
        light = Light(position.turn, cast(Direction, position.direction), position.color)
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
            case Turn():
                yield Ask("turn", seat=ruling.seat, card=position.top)
            case ChooseColor():
                yield Ask("name-color", seat=ruling.seat, card=position.top)
            case MayChallenge():
                # Where a document lets any seat challenge, the one that must draw still is the one to be asked.
                seat = position.next_seat if position.next_seat in ruling.seats else ruling.seats[0]
                yield Ask("answer", seat=seat, card=position.top)
            case ShowHand():
                yield Ask("show-hand", seat=ruling.seat)
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

    def _feeds(self, position: Position) -> Iterator[Feed]:
        """What is still to be dealt or drawn and not yet ordered, seat by seat, the dealer last."""
        if position.phase == "paused":
            return
        seats = len(position.hands)
        due: dict[int, int] = dict(position.owed) if position.draw_pile else {}
        if position.phase == "deal" or self.is_dealing:
            dealt = (0,) * seats if self.is_dealing else position.hands
            due = {seat: self._hand - dealt[seat] for seat in range(seats) if seat not in position.out}
        first = ((position.dealer or 0) + 1) % seats
        for seat in sorted(due, key=lambda seat: (seat - first) % seats):
            ordered = sum(feed.n for feed in self._ordered.values() if feed.seat == seat)
            if due[seat] > ordered:
                yield self._order(seat, due[seat] - ordered)

    def _order(self, seat: int, n: int) -> Feed:
        feed = Feed(self._next_job, seat, n)
        self._next_job += 1
        self._ordered[feed.job] = feed
        return feed
