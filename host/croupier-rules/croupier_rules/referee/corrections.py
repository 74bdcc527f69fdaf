"""Corrections by people, translated into observations for the log.

The log is append-only. A correction of an earlier observation undoes it with everything after it, then repeats the
corrected observation and the rest. People may *undo* what was only said or pressed. An observation that showed
somebody a card, such as a draw, is never undone, only corrected (`may_be_undone`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, assert_never

from croupier_rules.cards import UNREAD
from croupier_rules.errors import CannotCorrect, marked
from croupier_rules.referee.fields import PositionFields
from croupier_rules.referee.observations import (
    OBSERVATIONS,
    Hint,
    Lift,
    Observation,
    Overrule,
    Play,
    PlayerChange,
    Tick,
    Uno,
    Upcard,
)
from croupier_rules.referee.referee import Referee

SPAN_S: Final = 0.05
"""Repeated observations span at most this time (s). Intervals and uncertainties shrink alike, so that exactly the
reports that had no order before have none now."""

_ONLY_REPORTED: Final = tuple(
    OBSERVATIONS[name]
    for name in ("accept", "acted", "challenge", "color", "decline", "hint", "house_rule", "lift", "pass", "uno")
)


_BESIDE_PLAY: Final = (Hint, Lift, Tick, Uno)


@dataclass(frozen=True, slots=True, kw_only=True)
class OfMoment:
    """A command for the moment that a person sees. ``line``: the number of the newest line of the log on the person's
    screen; ``None``: apply the command to the current moment."""

    line: int | None = None


@dataclass(frozen=True, slots=True)
class TopIs:
    """The last card that touched the discard pile was ``card``. ``is_read``: the camera read it; otherwise a person
    named it."""

    card: str
    is_read: bool = False


@dataclass(frozen=True, slots=True)
class Was:
    """The observation ``old`` is replaced by ``new``; ``None``: it did not happen. ``is_read``: as of `TopIs`."""

    old: Observation
    new: Observation | None
    is_read: bool = False


@dataclass(frozen=True, slots=True)
class Undo:
    """Undo the last observation. ``old``: the observation that is expected to be the last; ``None``: any."""

    old: Observation | None = None


@dataclass(frozen=True, slots=True)
class SetTo(OfMoment):
    """Set fields of the position. ``hands`` and ``scores`` may be given by seat (or team), so that the others stay as
    they are meanwhile; cards that no hand holds go to the draw pile."""

    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Report(OfMoment):
    """Add an observation that nobody reported."""

    observation: Observation


@dataclass(frozen=True, slots=True)
class ChangePlayers(OfMoment):
    """A player leaves the ``seat``, joins at it as ``name`` (None: who left comes back), swaps seats with ``other``,
    where nobody has to sit, or goes by another ``name``."""

    does: Literal["leave", "join", "swap", "rename"]
    seat: int
    other: int | None = None
    name: str | None = None

    @property
    def change(self) -> PlayerChange:
        """The change as the log has it."""
        return PlayerChange(self.does, self.seat, self.other, self.name)


Correction = TopIs | Was | Undo | SetTo | Report | ChangePlayers


def may_be_undone(observation: Observation) -> bool:
    """True for calls, presses and changes of players. All other observations showed or moved cards, or are a fault, a
    new name or another overrule, and cannot be undone."""
    if isinstance(observation, Overrule) and observation.player is not None:
        return observation.player.does != "rename"
    return isinstance(observation, _ONLY_REPORTED)


def changes_the_moment(observation: Observation) -> bool:
    """True if people have to decide again after this observation. Calls, reports and lifted cards beside play do not
    count, nor does a new name."""
    player = observation.player if isinstance(observation, Overrule) else None
    return not isinstance(observation, _BESIDE_PLAY) and (player is None or player.does != "rename")


def unread(observation: Observation) -> tuple[int, ...]:
    """The indices of its cards that could not be read."""
    cards = getattr(observation, "cards", ()) or (getattr(observation, "card", ""),)
    return tuple(place for place, card in enumerate(cards) if card == UNREAD)


def to_observations(correction: Correction, referee: Referee, t: float, u: float = 0.0) -> tuple[Observation, ...]:
    """Translate a correction at time ``t`` into observations; empty where the record of ``referee`` says so already.

    Raises:
        CannotCorrect: the correction does not fit the present record.
    """
    standing = referee.standing()
    match correction:
        case TopIs():
            top = next((one for one in reversed(standing) if isinstance(one, Play | Upcard)), None)
            if top is None or top.card == correction.card:
                return ()
            return tuple(_anew(standing, top, replace(top, card=correction.card), t, u))
        case Was():
            return (
                () if correction.new == correction.old else tuple(_anew(standing, correction.old, correction.new, t, u))
            )
        case Undo():
            last = standing[-1] if standing else None
            if correction.old not in (None, last):
                raise CannotCorrect(marked("Something else happened meanwhile. Nothing was changed."))
            if last is None or not may_be_undone(last):
                raise CannotCorrect(
                    marked("Only the last report can be undone. A report of a card is corrected instead.")
                )
            if isinstance(last, Overrule):
                assert referee.undo_of_players is not None
                return (replace(referee.undo_of_players, t=t, u=u),)
            return (Overrule(t, u=u, undo=1),)
        case SetTo():
            return (Overrule(t, u=u, set=_whole(correction.fields, referee.position())),)
        case ChangePlayers():
            change = correction.change
            return (Overrule(t, u=u, set=referee.changed_by(change), player=change),)
        case Report():
            return (replace(correction.observation, t=t, u=u, clock=None),)
        case _:
            assert_never(correction)


def renamed_card(correction: Correction, standing: Sequence[Observation]) -> tuple[Play | Upcard, str] | None:
    """Return the observation of a card of the pile that a person names otherwise, and its face; None if the correction
    names no card, or the camera does. ``standing``: the record before the correction."""
    match correction:
        case TopIs(card=card, is_read=False):
            old = next((one for one in reversed(standing) if isinstance(one, Play | Upcard)), None)
        case Was(old=Play() | Upcard() as old, new=Play(card=card) | Upcard(card=card), is_read=False):
            pass
        case _:
            return None
    return None if old is None or card in (old.card, UNREAD) else (old, card)


def _whole(fields: Mapping[str, Any], position: PositionFields) -> dict[str, Any]:
    """The fields as an overrule sets them."""
    whole = dict(fields)
    for name, counts in (("hands", position["hands"]), ("scores", position["scores"])):
        if isinstance(given := whole.get(name), Mapping):
            whole[name] = [given.get(i, now) for i, now in enumerate(counts)]
            if name == "hands" and "draw_pile" not in whole:
                whole["draw_pile"] = position["draw_pile"] - sum(whole[name]) + sum(counts)
    return whole


def _anew(
    standing: Sequence[Observation], old: Observation, new: Observation | None, t: float, u: float
) -> Iterator[Observation]:
    """Undo everything from ``old`` on, then repeat it with ``new`` in place of ``old``."""
    place = next((i for i in range(len(standing) - 1, -1, -1) if standing[i] == old), None)
    if place is None:
        raise CannotCorrect(marked("That is no longer in the record. Check what is there now."))
    rest = standing[place + 1 :]
    yield Overrule(t, u=u, undo=1 + sum(not isinstance(one, Overrule) for one in rest))
    scale, times = _repeated(standing[place:], t)
    for one, at in zip((new, *rest), times, strict=True):
        if one is not None:
            yield one.at(at, scale)


def _repeated(undone: Sequence[Observation], t: float) -> tuple[float, list[float]]:
    """Return the times at which a correction at ``t`` repeats the observations that it has undone, and the factor for
    their intervals."""
    scale = min(1.0, SPAN_S / max(SPAN_S, undone[-1].t - undone[0].t))
    return scale, [t + (one.t - undone[0].t) * scale for one in undone]


def repetitions(undone: Sequence[Observation], t: float) -> list[float]:
    """The times (s) at which a correction at ``t`` repeats the observations that it has ``undone``: by these it is
    known later which report is repeated."""
    return _repeated(undone, t)[1]
