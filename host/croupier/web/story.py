"""A game as the page tells it: a moment for each line of the log, with what was reported, ruled, and how it stood.

Nothing in a `Moment` is secret: faces of hidden hands are left out before anything is kept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from croupier.i18n import language
from croupier.log_replay import position_without_faces, without_faces
from croupier.referee import (
    Explainer,
    Header,
    Observation,
    Referee,
    Ruling,
    Rulings,
    corrections,
    parse_header,
    parse_observation,
)
from croupier.referee.corrections import Correction
from croupier.referee.observations import NAMES, Fault, Overrule
from croupier.referee.rulings import GameOver, Score

DOUBTFUL_S: Final = 0.1
"""Less than this nobody can press a button earlier or later on purpose."""


@dataclass(frozen=True, slots=True)
class Said:
    """A ruling for people; ``name`` and ``rule`` as in the table log, ``source``: the sentence it rests on."""

    name: str
    rule: str | None
    text: str
    source: str
    is_proposed: bool


@dataclass(frozen=True, slots=True)
class Moment:
    """The table after ``n`` observations, ``t`` seconds on its clock: what was reported last (and who was on turn
    then), what the referee ruled, and the public part of the position."""

    n: int
    t: float
    reported: Observation | None
    on_turn: int | None
    ruled: tuple[Ruling, ...]
    position: Mapping[str, Any]
    round: int

    @property
    def obs(self) -> str:
        """What kind of report it was, as in the table log; empty before the first."""
        return NAMES[type(self.reported)] if self.reported is not None else ""

    @property
    def is_over(self) -> bool:
        """Whether somebody went out, and the next round has not begun."""
        return self.position["phase"] in ("round_over", "game_over")


def _last_word(moments: Sequence[Moment]) -> GameOver | None:
    said = (ruling for moment in reversed(moments) for ruling in moment.ruled)
    return next((ruling for ruling in said if isinstance(ruling, GameOver)), None)


@dataclass(frozen=True, slots=True)
class Telling:
    """A `Moment` for people: what was seen, and what the referee said. ``u``: by how many seconds the time is unsure,
    either way; 0 where that is too little to decide anything."""

    n: int
    t: float
    u: float
    seen: str
    said: tuple[Said, ...]


@dataclass(frozen=True, slots=True)
class Scored:
    """A round as it was counted at the moment ``n``: by account (seat or team) the points, and the totals after it."""

    n: int
    round: int
    points: Mapping[int, int]
    totals: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What a correction would come to: the public part of the position ``before`` and ``after`` it, and what the
    referee would say then."""

    before: Mapping[str, Any]
    after: Mapping[str, Any]
    said: tuple[Said, ...]


class Story:
    """The game of a log, from its header; `extend` it with lines as they come.

    Raises:
        BadLog: the header is none.
    """

    def __init__(self, header: str) -> None:
        self.header: Header = parse_header(json.loads(header))
        self._explainers: dict[str, Explainer] = {}
        self._referee = Referee(self.header)
        self._reported: list[Observation] = []
        """All of them, hidden faces too: never to be shown."""
        self._standing: list[int] = []
        self._round = 1
        self._scored: list[Scored] = []
        self.is_simulation = False
        """Whether the log says so."""
        self.moments: list[Moment] = [
            Moment(0, 0.0, None, None, (), position_without_faces(self._referee.position()), 1)
        ]

    def __len__(self) -> int:
        return len(self.moments) - 1

    @property
    def explainer(self) -> Explainer:
        """Tells this game in the language that is spoken now."""
        code = language()
        if code not in self._explainers:
            self._explainers[code] = Explainer(self.header, code)
        return self._explainers[code]

    def told(self, moment: Moment) -> Telling:
        """A moment of this game in the language that is spoken now."""
        seen = "" if moment.reported is None else self.explainer.seen(moment.reported, moment.on_turn)
        u = 0.0 if moment.reported is None else moment.reported.u
        return Telling(moment.n, moment.t, u if u >= DOUBTFUL_S else 0.0, seen, tuple(map(self._said, moment.ruled)))

    @property
    def accounts(self) -> tuple[str, ...]:
        """Whose points are counted: the seats, or the teams."""
        seats = self.header.seats
        return tuple(" + ".join(seats[seat] for seat in team) for team in self.header.teams) or seats

    def extend(self, lines: Iterable[str]) -> None:
        """Go on with these observations.

        Raises:
            BadLog: one is none; those before it are kept.
        """
        for line in lines:
            self._observe(parse_observation(json.loads(line), len(self.header.seats)))

    def at(self, n: int | None) -> Moment:
        """The moment after ``n`` observations (at most the last, which ``None`` is)."""
        return self.moments[-1 if n is None else max(0, min(n, len(self)))]

    def scores_at(self, moment: Moment) -> Sequence[Scored]:
        """The rounds that had been counted then; one whose end was taken back is not."""
        rows: dict[int, Scored] = {}
        for scored in self._scored:
            if scored.n <= moment.n and (scored.round < moment.round or moment.is_over):
                before = rows[scored.round].points if scored.round in rows else {}
                rows[scored.round] = Scored(scored.n, scored.round, {**before, **scored.points}, scored.totals)
        return list(rows.values())

    def won_at(self, moment: Moment) -> GameOver | None:
        """The referee's last word until then on who has won the game."""
        return _last_word(self.moments[: moment.n + 1])

    @property
    def won(self) -> GameOver | None:
        """Who has won the game in the end; an end that was taken back is none."""
        return _last_word(self.standing)

    @property
    def has_private_hand(self) -> bool:
        """Whether a hand may lie open for one person alone: from the challenge until the game goes on after it."""
        for moment in reversed(self.moments):
            if moment.position["phase"] == "challenge" or (moment.obs == "shown" and not moment.is_over):
                return True
            if moment.is_over or moment.obs in ("play", "pass"):
                return False
        return False

    @property
    def standing(self) -> Sequence[Moment]:
        """The moments of what was reported and not taken back since, the record being set right among them."""
        return [self.moments[n] for n in self._standing]

    def reported(self, n: int) -> Observation:
        """What was reported last at the moment ``n`` (from 1), with faces that nobody may see."""
        return self._reported[n - 1]

    def foreseen(self, correction: Correction) -> Foreseen:
        """What a correction would change now.

        Raises:
            CannotCorrect, BadLog: it cannot be made.
        """
        referee = self._referee.fork()
        before = self.moments[-1].position
        rulings: Rulings = ()
        for line in corrections.to_observations(correction, referee.standing(), self.moments[-1].t, position=before):
            rulings = referee.observe(line)
        return Foreseen(before, position_without_faces(referee.position()), tuple(map(self._said, rulings)))

    def _observe(self, observation: Observation) -> None:
        self._reported.append(observation)
        self._stand(observation)
        self.is_simulation |= isinstance(observation, Fault) and observation.is_simulation
        on_turn = self._referee.on_turn
        was_over = self.moments[-1].is_over
        rulings = self._referee.observe(observation)
        position = position_without_faces(self._referee.position())
        if was_over and position["phase"] in ("deal", "upcard"):
            self._round += 1
        open_ = observation if was_over else without_faces(observation)
        self.moments.append(
            Moment(
                len(self.moments),
                observation.t,
                open_,
                on_turn,
                tuple(rulings),
                position,
                self._round,
            )
        )
        self._count(rulings, position["scores"])

    def _stand(self, observation: Observation) -> None:
        if isinstance(observation, Overrule) and observation.undo is not None:
            left = observation.undo
            while left:
                left -= not isinstance(self._reported[self._standing.pop() - 1], Overrule)
        else:
            self._standing.append(len(self._reported))

    def _said(self, ruling: Ruling) -> Said:
        told = self.explainer.said(ruling)
        return Said(ruling.name, ruling.rule, told.text, told.source, ruling.is_proposed)

    def _count(self, rulings: Iterable[Ruling], totals: Sequence[int]) -> None:
        points: dict[int, int] = {}
        for ruling in rulings:
            if isinstance(ruling, Score):
                account = ruling.seat if ruling.team is None else ruling.team
                assert account is not None
                points[account] = ruling.points
        if points:
            self._scored.append(Scored(len(self), self._round, points, tuple(totals)))
