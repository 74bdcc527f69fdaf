"""A game as the page shows it: a moment for each line of the log, with the report, the rulings and the position.

A `Moment` holds no secrets: faces of hidden hands are removed before it is stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from croupier.alarms import problem_text
from croupier.game_views.rounds import FinishedRound, FinishedRounds
from croupier.i18n import _, language, marked
from croupier.journal import chained
from croupier.journal.receipt import code_of
from croupier.log_replay import LogReader, position_without_faces, without_faces
from croupier.table_api.live_table import TableOffers
from croupier_rules.cards import KIND
from croupier_rules.errors import json_object
from croupier_rules.referee import Explainer, Header, Observation, Referee, Ruling, Rulings, parse_header
from croupier_rules.referee.corrections import Correction, Was, changes_the_moment, repetitions, to_observations
from croupier_rules.referee.fields import PositionFields
from croupier_rules.referee.moves import SeatMoves, moves_of
from croupier_rules.referee.observations import Fault, Lift, Overrule, Play, Upcard
from croupier_rules.referee.players import free_seats
from croupier_rules.referee.position import OVER_PHASES
from croupier_rules.referee.rulings import GameOver, Illegal

_LEAST_SHOWN_U_S: Final = 0.1
"""A smaller uncertainty decides nothing: nobody can press a button that much earlier or later on purpose."""

_LAID: Final = 4
"""The up-card and three below it."""

_INSTEAD_OF_LIFT: Final = marked(
    "No sensor sees a card leave a hand: at this table the time is up when the next player draws, or when that "
    "player’s card touches the discard pile."
)
"""Note on a rule that closes the UNO window at a lift, where the log has no lifts."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The table after ``n`` observations, ``t`` seconds on its clock: the last report, the seat on turn before it, the
    rulings on it, the public part of the position after it, and the ``names`` of the players by seat. ``laid``: the
    last cards of the discard pile, the up-card last. ``first``: the moment of the same report before any correction
    repeated it, ``n`` for most."""

    n: int
    t: float
    reported: Observation | None
    on_turn: int | None
    rulings: tuple[Ruling, ...]
    position: PositionFields
    round: int
    names: tuple[str, ...]
    laid: tuple[str, ...] = ()
    first: int = 0

    @property
    def obs(self) -> str:
        """The name of the report in the table log; empty before the first."""
        return self.reported.name if self.reported is not None else ""

    @property
    def actor(self) -> int | None:
        """The seat that did what was reported: the one on turn where the report names none."""
        seat: int | None = getattr(self.reported, "seat", None)
        return self.on_turn if seat is None else seat

    @property
    def is_over(self) -> bool:
        """True if somebody went out and the next round has not begun."""
        return self.position["phase"] in OVER_PHASES


@dataclass(frozen=True, slots=True)
class RulingText:
    """A ruling for people; ``name`` and ``rule`` as in the table log, ``source``: the sentence that it rests on."""

    name: str
    rule: str | None
    text: str
    source: str
    is_proposed: bool


@dataclass(frozen=True, slots=True)
class MomentText:
    """A `Moment` for people. ``u``: uncertainty of ``t`` (±s); 0 if it is too small to decide anything. ``actor``: the
    seat of the player who did it; None if nobody at the table did."""

    n: int
    t: float
    u: float
    seen: str
    rulings: tuple[RulingText, ...]
    actor: int | None = None


@dataclass(frozen=True, slots=True)
class Preview:
    """The effect of a correction: the public position ``before`` and ``after`` it, the referee's last ``rulings``, and
    the ``later`` reports, without the last, that are ruled otherwise then."""

    before: Mapping[str, Any]
    after: Mapping[str, Any]
    rulings: tuple[RulingText, ...]
    later: tuple[MomentText, ...] = ()


class Story:
    """The game of a log. It grows by lines of the log (`extend`).

    Raises:
        BadLog: the header or a line is invalid.
    """

    def __init__(self, header: str, *lines: str) -> None:
        self.header: Header = parse_header(json_object(header))
        self._explainers: dict[tuple[str, tuple[str, ...]], Explainer] = {}
        self._reader = LogReader(self.header)
        self._to_show = self._reader.referee.hands_to_show
        self._reported: list[Observation] = []
        """All observations, including hidden faces: never shown."""
        self._standing: list[int] = []
        self._repeated: list[tuple[float, int]] = []
        """When the last correction repeats what it has undone, and the moments at which that was reported first."""
        self._round = 1
        self._has_lift = False
        self._rounds = FinishedRounds(self.header)
        self.is_simulation = False
        """True if the log is marked as simulated."""
        self.receipt = ""
        """The code of the score sheet (`croupier.journal.receipt`); "" while all points are as at the begin."""
        self._hash = chained(b"", header.rstrip("\r\n"))
        begun = position_without_faces(self._reader.position)
        laid = () if begun["top"] is None else (begun["top"],)
        self.moments: list[Moment] = [Moment(0, 0.0, None, None, (), begun, 1, self.header.seats, laid)]
        self.extend(lines)

    def __len__(self) -> int:
        return len(self.moments) - 1

    @property
    def explainer(self) -> Explainer:
        """Explains this game in the present language."""
        return self._explainer_for(self.header.seats)

    def _explainer_for(self, names: tuple[str, ...]) -> Explainer:
        key = language(), names
        if key not in self._explainers:
            self._explainers[key] = Explainer(self.header, key[0]).naming(names)
        return self._explainers[key]

    def describe(self, moment: Moment, reader: int | None = None) -> MomentText:
        """A moment of this game in the present language; ``reader``: the seat of the player who is addressed by it."""
        explainer = self._explainer_for(moment.names).to_player(reader)
        match moment.reported:
            case None:
                seen = ""
            case Fault(is_simulation=False, device=device, kind=kind):  # the referee knows no devices
                seen = f"{explainer.call('paused')} {problem_text(device, kind)}"
            case _:
                seen = explainer.seen(moment.reported, moment.on_turn)
        u = 0.0 if moment.reported is None or moment.reported.u < _LEAST_SHOWN_U_S else moment.reported.u
        rulings = tuple(self._ruling_text(ruling, explainer) for ruling in moment.rulings)
        actor = moment.actor if hasattr(moment.reported, "seat") else None
        return MomentText(moment.n, moment.t, u, seen, rulings, actor)

    @property
    def free_seats(self) -> tuple[int, ...]:
        """The seats at which nobody sits now."""
        return free_seats(self.header, self.moments[-1].position)

    @property
    def accounts(self) -> tuple[str, ...]:
        """The names of those whose points are counted: the seats, or the teams."""
        seats = self.header.seats
        return tuple(" + ".join(seats[seat] for seat in team) for team in self.header.teams) or seats

    def extend(self, lines: Iterable[str]) -> None:
        """Take in more lines of the log.

        Raises:
            BadLog: a line is invalid; the lines before it are kept.
        """
        for line in lines:
            record = self._reader.read(json_object(line))
            self._hash = chained(self._hash, line.rstrip("\r\n"))
            self._add(record.observation, record.rulings, record.fields)
            self._to_show = record.to_show

    def at(self, n: int | None) -> Moment:
        """The moment after ``n`` observations, at most the last moment; ``None``: the last."""
        return self.moments[-1 if n is None else max(0, min(n, len(self)))]

    def last_act(self, moment: Moment) -> Moment | None:
        """The last moment up to this one at which somebody did something: no tick of the clock."""
        return next((one for one in reversed(self.moments[1 : moment.n + 1]) if one.obs != "tick"), None)

    def rounds_at(self, moment: Moment) -> Sequence[FinishedRound]:
        """The rounds that somebody had won by then, without those whose end was undone."""
        return self._rounds.at(moment)

    def scores_at(self, moment: Moment) -> Sequence[FinishedRound]:
        """Those of `rounds_at` whose points were counted."""
        return [one for one in self._rounds.at(moment) if one.points]

    def winner_at(self, moment: Moment) -> GameOver | None:
        """The referee's last ruling by then on who has won the game."""
        return _last_game_over(self.moments[: moment.n + 1])

    @property
    def winner(self) -> GameOver | None:
        """The ruling on who has won the game. An undone end of the game does not count."""
        return _last_game_over(self.standing)

    @property
    def winner_text(self) -> str:
        """Return the winner of the game, in words; "" while it goes on."""
        return "" if self.winner is None else self.explainer.explain(self.winner).text

    @property
    def hands_to_show(self) -> tuple[int, ...]:
        """The seats whose hands must be shown before the points of the round are counted."""
        return self._to_show

    def own_hand(self, seat: int, table: TableOffers | None = None) -> tuple[str, ...]:
        """The faces that ``seat`` holds, as far as the log names them: for its player alone. ``table``: what the live
        table says of its hands, since no verdict in a log has the faces.

        Empty for the rest of a round in which the player of the seat changed: a page of the one before may be open.
        """
        for moment in reversed(self.moments):
            if moment.round != self._round:
                continue
            change = getattr(moment.reported, "player", None)
            if change is not None and change.does != "rename" and seat in (change.seat, change.with_):
                return ()
        position = self._reader.position
        known: Sequence[str] = () if table is None else table.hands[seat]
        if "known" in position:
            known = position["known"].get(str(seat), ())
        return tuple(sorted(known, key=KIND.__getitem__))

    def moves(self, seat: int, table: TableOffers | None) -> SeatMoves:
        """Return the legal moves of ``seat``: from the live table, or from judging the log here if it has no
        verdicts."""
        if self._reader.has_judged:
            return moves_of(self._reader.referee, seat)
        return SeatMoves() if table is None or table.n != len(self) else table.moves[seat]

    @property
    def has_private_hand(self) -> bool:
        """True if a hand may lie open for one person alone: from the challenge until the game goes on after it."""
        for moment in reversed(self.moments):
            if moment.position["phase"] == "challenge" or (moment.obs == "shown" and not moment.is_over):
                return True
            if moment.is_over or moment.obs in ("play", "pass"):
                return False
        return False

    def recorded_hand(self, seat: int) -> tuple[str, ...]:
        """The faces that the record has in the hand of ``seat``: for hands that lie open."""
        return tuple(self._caught_up_referee().position()["known"].get(str(seat), ()))

    def first(self, moment: Moment) -> Moment:
        """Return the moment of the first report of what ``moment`` reports; corrections repeat a report."""
        return self.moments[moment.first]

    @property
    def standing(self) -> Sequence[Moment]:
        """The moments of all reports that were not undone, corrections included."""
        return [self.moments[n] for n in self._standing]

    def since(self, line: int | None) -> list[Moment]:
        """The moments after a line of the log (None: the last) that changed what people decide on; the last one where
        there is no such line."""
        if line is None or line == len(self):
            return []
        if line > len(self):
            return self.moments[-1:]
        later = self.moments[line + 1 :]
        return [one for one in later if one.reported is not None and changes_the_moment(one.reported)]

    def reported(self, n: int) -> Observation:
        """The report of the moment ``n`` (from 1), including hidden faces."""
        return self._reported[n - 1]

    def preview(self, correction: Correction) -> Preview:
        """The effect that a correction would have now.

        Raises:
            CannotCorrect, BadLog: it is not possible.
        """
        referee = self._caught_up_referee().fork()
        lines = to_observations(correction, referee, self.moments[-1].t)
        explainer = self._explainer_for(referee.header.seats)
        rulings: tuple[RulingText, ...] = ()
        later = []
        first = 1 if isinstance(correction, Was) and correction.new is None else 2
        for i, line in enumerate(lines):
            seen = explainer.seen(without_faces(line), referee.on_turn)
            rulings = tuple(self._ruling_text(ruling, explainer) for ruling in referee.observe(line))
            if first <= i < len(lines) - 1:
                was = self.describe(self.standing[i - len(lines)])
                if (was.seen, was.rulings) != (seen, rulings):
                    later.append(replace(was, seen=seen, rulings=rulings))
        after = position_without_faces(referee.position())
        return Preview(self.moments[-1].position, after, rulings, tuple(later))

    def _caught_up_referee(self) -> Referee:
        return self._reader.catch_up()

    def _add(self, observation: Observation, rulings: Rulings, full_position: PositionFields) -> None:
        self._reported.append(observation)
        before, names = self._update_standing(observation)
        self._has_lift |= isinstance(observation, Lift)
        self.is_simulation |= isinstance(observation, Fault) and observation.is_simulation
        on_turn, was_over = self.moments[-1].position["turn"], self.moments[-1].is_over
        position = position_without_faces(full_position)
        self._round = before.round + (before.is_over and position["phase"] in ("deal", "upcard"))
        public = observation if was_over else without_faces(observation)
        n = len(self.moments)
        laid = _laid(before.laid, observation, rulings, position["top"])
        first = self._first_report(observation)
        self.moments.append(
            Moment(n, observation.t, public, on_turn, tuple(rulings), position, self._round, names, laid, first)
        )
        self.header = self.header if names == self.header.seats else replace(self.header, seats=names)
        self._rounds.add(self.moments[-2], self.moments[-1], observation, self._standing)
        if self.moments[-1].is_over and position["scores"] != self.moments[-2].position["scores"]:
            self.receipt = code_of(self._hash)

    def _update_standing(self, observation: Observation) -> tuple[Moment, tuple[str, ...]]:
        """Note the observation; returns the moment that it follows, and the names of the players after it."""
        if isinstance(observation, Overrule) and observation.undo is not None:
            left, undone = observation.undo, list[int]()
            while left:
                undone.insert(0, self._standing.pop())
                left -= not isinstance(self._reported[undone[0] - 1], Overrule)
            times = repetitions([self._reported[n - 1] for n in undone], observation.t)
            self._repeated = [(t, self.moments[n].first) for t, n in zip(times, undone, strict=True)]
        else:
            self._standing.append(len(self._reported))
            change = observation.player if isinstance(observation, Overrule) else None
            return self.moments[-1], self.header.seats if change is None else change.names(self.header.seats)
        before = self.moments[self._standing[-1] if self._standing else 0]
        return before, before.names

    def _first_report(self, observation: Observation) -> int:
        """The moment at which the last of the observations was reported first."""
        for i, (t, first) in enumerate(self._repeated):
            if t == observation.t and type(self._reported[first - 1]) is type(observation):
                del self._repeated[: i + 1]
                return first
        return len(self._reported)

    def _ruling_text(self, ruling: Ruling, explainer: Explainer) -> RulingText:
        explanation = explainer.explain(ruling)
        source = explanation.source
        if (
            ruling.rule == "uno.catch.closes"
            and self.header.ruleset.value(ruling.rule) == "lift"
            and not self._has_lift
        ):
            source = f"{source} {_(_INSTEAD_OF_LIFT)}"
        return RulingText(ruling.name, ruling.rule, explanation.text, source, ruling.is_proposed)


def _laid(before: tuple[str, ...], reported: Observation, rulings: Rulings, top: str | None) -> tuple[str, ...]:
    """The last cards of the discard pile after a report, where they were ``before``; ``top``: the up-card."""
    if top is None or isinstance(reported, Upcard):
        return () if top is None else (top,)
    if isinstance(reported, Play) and not any(isinstance(ruling, Illegal) for ruling in rulings):
        return (*before, top)[-_LAID:]
    return before if before[-1:] == (top,) else (*before[:-1], top)


def _last_game_over(moments: Sequence[Moment]) -> GameOver | None:
    rulings = (ruling for moment in reversed(moments) for ruling in moment.rulings)
    return next((ruling for ruling in rulings if isinstance(ruling, GameOver)), None)
