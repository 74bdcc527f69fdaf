"""The referee: observations in, rulings out.

A fold over the table log: the same header and observations always give the same rulings. No clock, no files, no
threads: time arrives with the observations, and whoever calls owns the loop. `docs/referee.md` tells how the parts
share the work.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from croupier.cards import FACES, PLAIN
from croupier.errors import BadLog
from croupier.referee import house, opening, overruling, position, record, redeal, turn, uno, wild
from croupier.referee.book import UNKNOWN, Book
from croupier.referee.header import Header
from croupier.referee.observations import (
    Accept,
    Acted,
    Challenge,
    Color,
    Dealt,
    Decline,
    Drew,
    Fault,
    Hint,
    HouseRule,
    Lift,
    Observation,
    Overrule,
    Pass,
    Pick,
    Play,
    Recycled,
    Redealt,
    Resumed,
    Shown,
    Tick,
    Uno,
    Upcard,
)
from croupier.referee.phases import DRAWN, HAS_TURN, TURN, UPCARD
from croupier.referee.piles import recycled
from croupier.referee.rulings import Illegal, Rulings
from croupier.referee.table import Table
from croupier.rules import UNWRITTEN

_Handler = Callable[[Table, Any], Rulings]

_HANDLERS: Final[dict[type[Observation], _Handler]] = {
    Pick: opening.pick,
    Dealt: opening.dealt,
    Upcard: opening.upcard,
    Lift: turn.lift,
    Play: turn.play,
    Drew: turn.drew,
    Pass: turn.pass_,
    Color: wild.color,
    Uno: uno.press,
    Accept: wild.accept,
    Challenge: wild.challenge,
    Shown: record.shown,
    Redealt: redeal.redealt,
    Recycled: recycled,
    HouseRule: house.house_rule,
    Decline: house.decline,
    Acted: house.acted,
    Hint: record.hint,
    Fault: record.fault,
    Resumed: record.resumed,
    Tick: record.tick,
}

_PLAY: Final[_Handler] = turn.play
_DREW: Final[_Handler] = turn.drew
_PASS: Final[_Handler] = turn.pass_

_WHILE_PAUSED: Final = frozenset({Dealt, Redealt, Shown, Fault, Resumed, Tick})
_SEGMENT: Final = 512
_SEGMENTS: Final = 3
UNDO_REACH: Final = _SEGMENT * (_SEGMENTS - 1)
"""How many observations can be taken back at least: more than the longest round."""


class Referee:
    """The referee of one game.

    What an undo needs is kept in segments: the state at the beginning of each and the observations since. To take
    back is to restore the state before and to observe again up to there, so that it is exact; the oldest segments
    are dropped, so that a log of any length takes the same memory.

    Raises:
        BadLog: the header gives a position that cannot be.
    """

    def __init__(self, header: Header) -> None:
        self.header = header
        self._book = Book(header)
        self._table = Table(self._book)
        if header.given is not None:
            self._table = position.read(self._book, header.given, "header: given")
        self._t = float("-inf")
        self._segment: list[Observation] = []
        self._segments: deque[tuple[tuple[Any, ...], list[Observation]]] = deque(maxlen=_SEGMENTS)
        self._segments.append((self._table.snapshot(), self._segment))

    def observe(self, observation: Observation) -> Rulings:
        """What the referee says to this observation, in the order of the table log.

        Raises:
            BadLog: time goes back, or an overrule asks for what cannot be; then nothing has changed.
        """
        t, kind = observation.t, type(observation)
        if not t >= self._t:
            raise BadLog(f"t {t} goes back: expected {self._t} or later")
        if kind is Overrule:
            return self._overrule(observation)
        self._t = t
        segment = self._segment
        if len(segment) >= _SEGMENT:
            segment = self._begin_segment()
        segment.append(observation)
        table = self._table
        if table.paused:
            return _observe_while_paused(table, observation)
        # What is most of a game is called by name: Python is quicker that way.
        if kind is Play:
            return _PLAY(table, observation)
        if kind is Drew:
            return _DREW(table, observation)
        if kind is Pass:
            return _PASS(table, observation)
        return _HANDLERS[kind](table, observation)

    def position(self) -> dict[str, Any]:
        """The state as the table log writes it; as ``given`` it leads here again."""
        return position.to_json(self._table)

    @property
    def on_turn(self) -> int | None:
        """The seat whose turn it is; ``None`` where it is nobody's."""
        return self._table.turn if self._table.phase in HAS_TURN else None

    def expected_faces(self) -> frozenset[str]:
        """The faces that may legally come next on the discard pile, to rank the candidates of a doubtful sighting.

        Empty where no card is awaited. A card that is laid against the rules is none of them: what was seen counts.
        """
        table = self._table
        if table.paused or table.phase not in (TURN, DRAWN, UPCARD):
            return frozenset()
        if table.phase == UPCARD:
            return frozenset(face for kind, face in enumerate(FACES) if table.unseen[PLAIN[kind]])
        known = table.known[table.turn]
        if table.phase == DRAWN and table.drawn != UNKNOWN:
            known, hidden = (table.drawn,), 0
        else:
            hidden = table.hands[table.turn] - len(known)
        return frozenset(
            face
            for kind, face in enumerate(FACES)
            if table.up.playable[kind] and (kind in known or (hidden and table.unseen[PLAIN[kind]]))
        )

    def _begin_segment(self) -> list[Observation]:
        self._segment = []
        self._segments.append((self._table.snapshot(), self._segment))
        return self._segment

    def _overrule(self, obs: Observation) -> Rulings:
        """A person corrects the record; said is what is awaited now."""
        assert isinstance(obs, Overrule)
        if obs.set is not None:
            self._table = overruling.corrected(self._table, obs.set)
            self._segment.append(obs)
        else:
            self._take_back(obs.undo or 0)
        self._t = obs.t
        return overruling.awaited(self._table)

    def _take_back(self, n: int) -> None:
        """Be where the table was before the last ``n`` observations (corrections between them go with them)."""
        back = 0
        for place in range(len(self._segments) - 1, -1, -1):
            snapshot, segment = self._segments[place]
            for i in range(len(segment) - 1, -1, -1):
                back += not isinstance(segment[i], Overrule)
                if back == n:
                    while len(self._segments) > place + 1:
                        self._segments.pop()
                    del segment[i:]
                    self._segment = segment
                    self._table.restore(snapshot)
                    for observation in segment:
                        self._repeat(observation)
                    return
        raise BadLog(f"overrule: undo {n}: expected at most {back}, no more can be taken back")

    def _repeat(self, observation: Observation) -> None:
        if isinstance(observation, Overrule):
            self._table = overruling.corrected(self._table, observation.set or {})
        elif self._table.paused:
            _observe_while_paused(self._table, observation)
        else:
            _HANDLERS[type(observation)](self._table, observation)


def _observe_while_paused(table: Table, observation: Observation) -> Rulings:
    """While play is paused, only what is owed or being dealt, a hand, and trouble may be reported."""
    if isinstance(observation, Drew):
        return turn.draw_closely(table, observation)
    if type(observation) in _WHILE_PAUSED:
        return _HANDLERS[type(observation)](table, observation)
    seat, card = getattr(observation, "seat", None), getattr(observation, "card", None)
    return (Illegal(UNWRITTEN, table.speaker if seat is None else seat, "wrong-phase", card),)


def replay(header: Header, observations: Iterable[Observation]) -> Iterator[Rulings]:
    """The rulings of each observation of a log in turn."""
    referee = Referee(header)
    for observation in observations:
        yield referee.observe(observation)
