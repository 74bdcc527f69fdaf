"""The finished rounds of a game: the one form from which score sheets, charts and statistics are made."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from croupier_rules.referee import Header, Observation
from croupier_rules.referee.fields import PositionFields
from croupier_rules.referee.observations import Overrule
from croupier_rules.referee.rulings import RoundOver, Ruling, Score
from croupier_rules.referee.table import GameConstants


class Moment(Protocol):
    """What is read of a `croupier.game_views.story.Moment`."""

    @property
    def n(self) -> int:
        """Its number."""

    @property
    def round(self) -> int:
        """The number of its round."""

    @property
    def rulings(self) -> tuple[Ruling, ...]:
        """The rulings on what was reported."""

    @property
    def position(self) -> PositionFields:
        """The position after it."""

    @property
    def names(self) -> tuple[str, ...]:
        """The players by seat."""

    @property
    def is_over(self) -> bool:
        """True if the round is over."""


@dataclass(frozen=True, slots=True)
class FinishedRound:
    """A round in which somebody went out: the one form of it, whether a referee watched the cards or people laid them
    on a score sheet.

    As it stood at the moment ``n``. ``went_out``: the seat, None where the record names none; ``dealer``: the seat,
    if known; ``players``: the seats that took part, with the ``names`` of all seats; ``points`` by account (seat or
    team), empty before they are counted; ``totals`` after the round, and the accounts that lead by them (``leaders``).
    """

    n: int
    round: int
    went_out: int | None
    dealer: int | None
    players: tuple[int, ...]
    names: tuple[str, ...]
    points: Mapping[int, int]
    totals: tuple[int, ...]
    leaders: tuple[int, ...]


class FinishedRounds:
    """The finished rounds of one game; grows with its moments."""

    def __init__(self, header: Header) -> None:
        self._has_teams = bool(header.teams)
        self._lowest_leads = lowest_leads(header)
        self._ends: list[FinishedRound] = []
        """Each end of a round, and each time that its points were counted."""
        self._after: list[tuple[int, tuple[FinishedRound, ...]]] = [(0, ())]
        """By the moment after which it is so: the rounds that are finished."""
        self._held = 1, set[int]()
        """A round, and the seats that held cards in it."""

    def at(self, moment: Moment) -> list[FinishedRound]:
        """The rounds that were finished by then, without those whose end was undone."""
        found = self._after[bisect_right(self._after, moment.n, key=lambda one: one[0]) - 1][1]
        return [one for one in found if one.went_out is not None or one.points]

    def add(self, before: Moment, now: Moment, observation: Observation, standing: Collection[int]) -> None:
        """Take in the next moment, with its whole ``observation``. ``standing``: the moments that are not undone."""
        position = now.position
        if now.round != self._held[0]:
            self._held = now.round, set()
        self._held[1].update(seat for seat, n in enumerate(position["hands"]) if n)
        if isinstance(observation, Overrule) and observation.undo is not None:
            self._ends = [one for one in self._ends if one.n in standing]
        elif (end := self._end(before, now, observation)) is not None:
            self._ends.append(end)
        else:
            return
        self._after.append((now.n, tuple({one.round: one for one in self._ends}.values())))

    def _end(self, before: Moment, now: Moment, observation: Observation) -> FinishedRound | None:
        """The round as this moment ends it, or counts its points; None where it does neither."""
        position = now.position
        last = self._ends[-1] if self._ends and self._ends[-1].round == now.round else None
        scores = [ruling for ruling in now.rulings if isinstance(ruling, Score)]
        accounts = (one.seat if one.team is None else one.team for one in scores)
        points = {account: one.points for account, one in zip(accounts, scores, strict=True) if account is not None}
        went_out = next((ruling.seat for ruling in now.rulings if isinstance(ruling, RoundOver)), None)
        is_end = went_out is not None
        if not is_end and _is_set_over(before, now, observation, None if last is None else last.went_out):
            went_out, is_end = _only_empty_hand(position), True
        if not is_end and not points:
            return None
        if not is_end and last is not None:
            went_out, points = last.went_out, {**last.points, **points}
        totals = tuple(position["scores"])
        return FinishedRound(
            n=now.n,
            round=now.round,
            went_out=went_out,
            dealer=position["dealer"],
            players=tuple(sorted(self._held[1] | ({went_out} if went_out is not None else set()))),
            names=now.names,
            points=points,
            totals=totals,
            leaders=self._leaders(totals, position["out"]),
        )

    def _leaders(self, totals: Sequence[int], out: Collection[int]) -> tuple[int, ...]:
        """The accounts with the best total, of those that still play."""
        playing = [account for account in range(len(totals)) if self._has_teams or account not in out]
        best = (min if self._lowest_leads else max)((totals[account] for account in playing), default=None)
        return tuple(account for account in playing if totals[account] == best)


def lowest_leads(header: Header) -> bool:
    """True where few points are good."""
    return header.options.limit is not None or GameConstants(header).lowest_wins


def _is_set_over(before: Moment, now: Moment, observation: Observation, went_out: int | None) -> bool:
    """True if a person set the round to be over, or counted cards in the hand of who went out: the referee looks then
    who did (`croupier_rules.referee.override.corrected`)."""
    if not isinstance(observation, Overrule) or observation.set is None or not now.is_over:
        return False
    return not before.is_over or (went_out is not None and now.position["hands"][went_out] > 0)


def _only_empty_hand(position: PositionFields) -> int | None:
    """The one seat that plays and holds no card; None where none or several do."""
    empty = [seat for seat, n in enumerate(position["hands"]) if not n and seat not in position["out"]]
    return empty[0] if len(empty) == 1 else None
