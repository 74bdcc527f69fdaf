"""The referee: observations in, rulings out.

A fold over the table log: the same header and observations always give the same rulings. No clock, no files, no
threads: time arrives with the observations, and the caller owns the loop. `docs/referee.md` describes how the parts
share the work.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from croupier_rules.cards import FACES, PLAIN, UNKNOWN
from croupier_rules.errors import BadLog
from croupier_rules.referee import (
    checks,
    house,
    observations,
    override,
    own_cards,
    own_rules,
    players,
    start_of_round,
    turn,
    uno,
    wild,
)
from croupier_rules.referee.end_of_round import hands_to_show
from croupier_rules.referee.fields import PositionFields
from croupier_rules.referee.header import Header
from croupier_rules.referee.observations import Observation, Overrule, PlayerChange
from croupier_rules.referee.position import Position, table_from_json, table_to_json
from croupier_rules.referee.rulings import Illegal, MayStack, RoundOver, Rulings, Turn, Void, in_order
from croupier_rules.referee.table import GameConstants, Snapshot, Table, known_as, recycled, refuse
from croupier_rules.referee.transitions import DRAWN, GAME_OVER, HAS_TURN, ROUND_OVER, STACK, TURN, UPCARD

_Handler = Callable[[Table, Any], Rulings]

_HANDLERS: Final[dict[type[Observation], _Handler]] = {
    observations.Pick: start_of_round.pick,
    observations.Dealt: start_of_round.dealt,
    observations.Upcard: start_of_round.upcard,
    observations.Lift: turn.lift,
    observations.Play: turn.play,
    observations.Drew: turn.drew,
    observations.Pass: turn.pass_,
    observations.Color: wild.color,
    observations.Uno: uno.press,
    observations.Accept: wild.accept,
    observations.Challenge: wild.challenge,
    observations.Shown: override.shown,
    observations.Redealt: wild.redealt,
    observations.Recycled: recycled,
    observations.HouseRule: house.house_rule,
    observations.Decline: house.decline,
    observations.Acted: house.acted,
    observations.Hint: override.hint,
    observations.Fault: override.fault,
    observations.Resumed: override.resumed,
    observations.Swap: own_rules.swap,
    observations.Target: own_rules.target,
    observations.Discarded: own_cards.discarded,
    observations.Tick: override.tick,
}


def _knocking_out(handler: _Handler) -> _Handler:
    """The same handler, which then knocks out who holds too many cards."""

    def handle(table: Table, observation: Observation) -> Rulings:
        rulings, most = handler(table, observation), table.constants.most_held
        assert most is not None
        if max(table.hands) <= most:
            return rulings
        out = own_cards.knock_out(table, observation)
        if any(
            isinstance(ruling, Turn | MayStack | RoundOver) for ruling in out
        ):  # whose turn it is was said too early
            rulings = tuple(ruling for ruling in rulings if not isinstance(ruling, Turn | MayStack))
        return in_order(*rulings, *out)

    return handle


_KNOCKING_OUT: Final = {observation: _knocking_out(handler) for observation, handler in _HANDLERS.items()}
"""The handlers where a hand may be too big (``hand.limit``)."""

_WHILE_PAUSED: Final = frozenset(
    observations.OBSERVATIONS[name] for name in ("dealt", "redealt", "drew", "shown", "fault", "resumed", "tick")
)
_SEGMENT: Final = 512
_SEGMENTS: Final = 3
UNDO_REACH: Final = _SEGMENT * (_SEGMENTS - 1)
"""How many observations can be taken back at least: more than the longest round."""


class _Corrected(NamedTuple):
    """The overrules at one place, the state after them, and, for a change of players, the observation that takes the
    last one back."""

    overrules: tuple[Overrule, ...]
    after: Snapshot
    undo: Overrule | None


@dataclass(slots=True)
class _Segment:
    """A stretch of a log: the state at its beginning and the observations since.

    ``corrected`` holds overrules by their place among the observations, with the state after the last. Overrules
    therefore use up nothing of what can be undone, and several in a row count as one, but for changes of players.
    """

    begun: Snapshot
    observed: list[Observation]
    corrected: dict[int, _Corrected] = field(default_factory=dict)


class _Pushed(NamedTuple):
    """Where the referee was before a `Referee.push`; ``observed``: the length of the last segment."""

    before: Snapshot
    t: float
    segments: tuple[_Segment, ...]
    observed: int


class Referee:
    """The referee of one game.

    Undo is exact: it restores an earlier state and observes again up to the wanted place. States are kept per segment
    of the log; the oldest segments are dropped, so that memory does not grow with the log.

    Raises:
        BadLog: the position in the header is impossible.
    """

    def __init__(self, header: Header) -> None:
        self._header = header
        self._constants = GameConstants(header)
        self._handlers = _HANDLERS if self._constants.most_held is None else _KNOCKING_OUT
        self._table = Table(self._constants)
        if header.given is not None:
            self._table = table_from_json(self._constants, header.given, "header: given")
        self._t = float("-inf")
        self._segments: deque[_Segment] = deque(maxlen=_SEGMENTS)
        self._observed: list[Observation] = []
        self._pushed: list[_Pushed] = []
        self._begin_segment()

    def observe(self, observation: Observation) -> Rulings:
        """Judge one observation; returns its rulings in the order of the table log.

        Raises:
            BadLog: time goes back, or an overrule is impossible; the referee is then unchanged.
        """
        t, kind = observation.t, type(observation)
        if not t >= self._t:
            raise BadLog(f"t {t} goes back: expected {self._t} or later")
        if kind is Overrule:
            return self._overrule(observation)
        self._t = t
        observed = self._observed
        if len(observed) >= _SEGMENT:
            observed = self._begin_segment()
        observed.append(observation)
        table = self._table
        if table.paused:
            return self._rule_while_paused(observation)
        return self._handlers[kind](table, observation)

    def observe_all(self, observations: Sequence[Observation]) -> tuple[Rulings, ...]:
        """Observe several observations that belong together, such as a correction: all of them, or none.

        Returns the rulings of each. Each observation is judged once. Unlike `observe`, this also checks that the seats
        exist at this table, so that observations need no way through JSON (`parse_observation`) to be known as valid.

        Raises:
            BadLog: a seat does not exist, time goes back, or an overrule is impossible; the referee is then unchanged.
        """
        seats, t = self._constants.seats, self._t
        for observation in observations:
            for seat in (getattr(observation, "seat", None), getattr(observation, "with_", None)):
                if seat is not None and seat >= seats:
                    raise BadLog(f"{observation.name}: seat {seat}: expected a seat, 0 to {seats - 1}")
            if not observation.t >= t:
                raise BadLog(f"t {observation.t} goes back: expected {t} or later")
            t = observation.t
        # Only an overrule can still be refused; the first one is refused before anything changes.
        is_at_risk = any(isinstance(observation, Overrule) for observation in observations[1:])
        before = self.fork() if is_at_risk else None
        try:
            return tuple([self.observe(observation) for observation in observations])
        except BadLog:
            if before is not None:
                vars(self).update(vars(before))
            raise

    @property
    def header(self) -> Header:
        """The header of the game, with the names of those who sit there now."""
        names = self._table.names
        return self._header if names == self._header.seats else replace(self._header, seats=names)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of those who sit at each seat now."""
        return self._table.names

    @property
    def t(self) -> float:
        """The time (s) of the last observation; 0 before the first."""
        return max(self._t, 0.0)

    @property
    def free_seats(self) -> tuple[int, ...]:
        """The seats at which nobody sits, as `players.free_seats`."""
        return players.free_seats(self._header, self.position())

    def state(self) -> Position:
        """The position, typed: the same state as `position`, for devices and observers."""
        return Position.from_json(table_to_json(self._table), self._table.names)

    def position(self) -> PositionFields:
        """The state as the JSON object of the table log; as ``given`` it leads to this state again."""
        return table_to_json(self._table)

    @property
    def on_turn(self) -> int | None:
        """The seat on turn; ``None`` if no seat is on turn."""
        return self._table.turn if self._table.phase in HAS_TURN else None

    @property
    def is_round_over(self) -> bool:
        """True if the round is over and the next one not begun, also while play is paused."""
        return self._table.phase in (ROUND_OVER, GAME_OVER)

    @property
    def hands_to_show(self) -> tuple[int, ...]:
        """The seats whose hands have to be shown before the points of the round are counted."""
        return hands_to_show(self._table)

    def fork(self) -> Referee:
        """An independent copy of the referee."""
        other = copy(self)
        other._table = Table(self._constants)
        other._table.restore(self._table.snapshot())
        kept = (_Segment(one.begun, one.observed.copy(), one.corrected.copy()) for one in self._segments)
        other._segments = deque(kept, maxlen=_SEGMENTS)
        other._observed = other._segments[-1].observed
        other._pushed = []
        return other

    def standing(self) -> tuple[Observation, ...]:
        """The observations that were not undone, with overrules, as far back as undo reaches."""
        standing: list[Observation] = []
        for segment in self._segments:
            for place, observation in enumerate(segment.observed):
                if place in segment.corrected:
                    standing += segment.corrected[place].overrules
                standing.append(observation)
            if len(segment.observed) in segment.corrected:
                standing += segment.corrected[len(segment.observed)].overrules
        return tuple(standing)

    def changed_by(self, change: PlayerChange) -> dict[str, Any]:
        """The fields of the position that a change of players sets, as things are now (`players`).

        Raises:
            CannotCorrect: it cannot be now; with the reason. BadLog: there is no such seat.
        """
        self._check_seats(change)
        return players.fields_after(self._table, change)

    def applies(self, observation: Observation) -> bool:
        """True if the observation would be accepted now, and change anything. The referee stays as it is."""
        return bool(self.applicable((observation,)))

    def applicable(self, observations: Iterable[Observation]) -> tuple[Observation, ...]:
        """Those of the observations of which each alone `applies` now."""
        trial, before = Table(self._constants), self._table.snapshot()
        found, is_new = [], True
        for observation in observations:
            if self._table.paused and type(observation) not in _WHILE_PAUSED:
                continue
            if is_new:
                trial.restore(before)
            rulings = self._handlers[type(observation)](trial, observation)
            is_new = trial.snapshot() != before
            if is_new and not any(isinstance(one, Illegal | Void) for one in rulings):
                found.append(observation)
        return tuple(found)

    def push(self, observation: Observation) -> Rulings:
        """Judge an observation that `undo` takes back in one step, as a search through a game does. A correction ends
        what can be undone so.

        Raises:
            BadLog: as `observe`; nothing is to be undone then.
        """
        pushed = _Pushed(self._table.snapshot(), self._t, tuple(self._segments), len(self._observed))
        if type(observation) is Overrule:
            raise BadLog("push: overrule: expected an observation that is no correction")
        rulings = self.observe(observation)
        self._pushed.append(pushed)
        return rulings

    def undo(self) -> None:
        """Be where the table was before the last `push`, whatever was observed since.

        Raises:
            BadLog: there is nothing to undo.
        """
        if not self._pushed:
            raise BadLog("undo: expected a push before it")
        pushed = self._pushed.pop()
        self._table.restore(pushed.before)
        self._t = pushed.t
        self._segments = deque(pushed.segments, maxlen=_SEGMENTS)
        self._observed = self._segments[-1].observed
        del self._observed[pushed.observed :]

    @property
    def undo_of_players(self) -> Overrule | None:
        """Return the observation that undoes the last change of players; ``None`` if there is no such change to
        undo."""
        corrected = self._segments[-1].corrected.get(len(self._observed))
        return None if corrected is None else corrected.undo

    def expected_faces(self) -> frozenset[str]:
        """The faces that may legally come next on the discard pile, to rank the candidates of a doubtful sighting.

        Empty where no card is awaited. A card that is laid against the rules is not among them: the card that was seen
        counts.
        """
        table = self._table
        if table.paused or table.phase not in (STACK, TURN, DRAWN, UPCARD):
            return frozenset()
        if table.phase == UPCARD:
            return frozenset(FACES[kind] for kind in table.cards.kinds if table.unseen[PLAIN[kind]])
        known = table.known[table.turn]
        if table.phase == DRAWN and table.drawn != UNKNOWN:
            known, hidden = (table.drawn,), 0
        else:
            hidden = table.hands[table.turn] - len(known)
        held = table.hands[table.turn]
        faces = {
            FACES[kind]
            for kind in table.cards.kinds
            if own_rules.may_be_laid(table, kind, held)
            and (known_as(known, kind) != UNKNOWN or (hidden and table.unseen[PLAIN[kind]]))
        }
        return frozenset(faces | own_rules.faces_out_of_turn(table))

    def _begin_segment(self) -> list[Observation]:
        self._observed = []
        self._segments.append(_Segment(self._table.snapshot(), self._observed))
        return self._observed

    def _overrule(self, obs: Observation) -> Rulings:
        """Apply a person's correction of the record. The ruling names the next expected action."""
        assert isinstance(obs, Overrule)
        self._pushed.clear()
        if obs.set is None:
            self._take_back(obs.undo or 0)
            rulings = override.awaited(self._table)
        else:
            rulings = self._set(obs, obs.set)
        self._t = obs.t
        return rulings

    def _set(self, obs: Overrule, fields: Mapping[str, Any]) -> Rulings:
        before, change, undo = self._table, obs.player, None
        if change is not None:
            self._check_seats(change)
        if change is not None and change.does == "rename":
            before.names = change.names(before.names)
            rulings: Rulings = ()
        else:
            self._table = override.corrected(before, fields)
            if change is not None:
                self._table.names = change.names(before.names)
                undo = players.undo(change, before, self._table)
            rulings = override.awaited(self._table)  # it may count the points
        segment, place = self._segments[-1], len(self._observed)
        made = segment.corrected[place].overrules if place in segment.corrected else ()
        if change is None and made and made[-1].player is None:
            both = {**(made[-1].set or {}), **fields}
            if "top" in both:  # a new up-card brings its color
                both["color"] = self.position()["color"]
            made, obs = made[:-1], Overrule(obs.t, u=obs.u, set=both)
        segment.corrected[place] = _Corrected((*made, obs), self._table.snapshot(), undo)
        return rulings

    def _check_seats(self, change: PlayerChange) -> None:
        for seat in (change.seat, change.with_ or 0):
            checks.seat(seat, "overrule: player: seat", self._constants.seats)

    def _take_back(self, n: int) -> None:
        """Be where the table was before the last ``n`` observations (corrections made since go with them)."""
        most = sum(len(segment.observed) for segment in self._segments)
        if n > most:
            raise BadLog(f"overrule: undo {n}: expected at most {most}, no more can be taken back")
        while n > len(self._segments[-1].observed):
            n -= len(self._segments.pop().observed)
        segment = self._segments[-1]
        self._observed = segment.observed
        del self._observed[len(self._observed) - n :]
        segment.corrected = {n: one for n, one in segment.corrected.items() if n <= len(self._observed)}
        place = max(segment.corrected, default=0)
        self._table.restore(segment.corrected[place].after if place in segment.corrected else segment.begun)
        for observation in self._observed[place:]:
            if self._table.paused:
                self._rule_while_paused(observation)
            else:
                self._handlers[type(observation)](self._table, observation)

    def _rule_while_paused(self, observation: Observation) -> Rulings:
        """During a pause accept owed cards, cards of the deal, hands, and faults; refuse everything else."""
        if type(observation) in _WHILE_PAUSED:
            return self._handlers[type(observation)](self._table, observation)
        seat, card = getattr(observation, "seat", None), getattr(observation, "card", None)
        return refuse(self._table, self._table.speaker if seat is None else seat, "wrong-phase", card=card)


def replay(header: Header, observations: Iterable[Observation]) -> Iterator[Rulings]:
    """The rulings of each observation of a log in turn."""
    referee = Referee(header)
    for observation in observations:
        yield referee.observe(observation)
