"""Corrections by people, translated into observations for the log.

The log is append-only. A correction of an earlier observation undoes it with everything after it, then repeats the
corrected observation and the rest. People may *undo* what was only said or pressed. An observation that showed
somebody a card, such as a draw, is never undone, only corrected (`may_be_undone`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Final, assert_never

from croupier.cards import UNREAD
from croupier.errors import CannotCorrect
from croupier.referee.observations import OBSERVATIONS, Observation, Overrule, Play, Upcard

SPAN_S: Final = 0.05
"""Repeated observations span at most this time (s). Intervals and uncertainties shrink alike, so that exactly the
reports that had no order before have none now."""

_ONLY_REPORTED: Final = tuple(
    OBSERVATIONS[name]
    for name in ("accept", "acted", "challenge", "color", "decline", "hint", "house_rule", "lift", "pass", "uno")
)


@dataclass(frozen=True, slots=True)
class TopIs:
    """The last card that touched the discard pile was ``card``."""

    card: str


@dataclass(frozen=True, slots=True)
class Was:
    """The observation ``old`` is replaced by ``new``; ``None``: it did not happen."""

    old: Observation
    new: Observation | None


@dataclass(frozen=True, slots=True)
class Undo:
    """The last observation is undone. ``old``: what it must be; None: whatever it is."""

    old: Observation | None = None


@dataclass(frozen=True, slots=True)
class SetTo:
    """Set fields of the position. ``hands`` and ``scores`` may be given by seat (or team), so that the others stay as
    they are meanwhile; cards that no hand holds go to the draw pile."""

    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Report:
    """Add an observation that nobody reported."""

    observation: Observation


Correction = TopIs | Was | Undo | SetTo | Report


def may_be_undone(observation: Observation) -> bool:
    """True for what was only said or pressed. Everything else showed or moved cards, or is a fault or an overrule."""
    return isinstance(observation, _ONLY_REPORTED)


def unread(observation: Observation) -> tuple[int, ...]:
    """The indices of its cards that could not be read."""
    cards = getattr(observation, "cards", ()) or (getattr(observation, "card", ""),)
    return tuple(place for place, card in enumerate(cards) if card == UNREAD)


def to_observations(
    correction: Correction,
    standing: Sequence[Observation],
    t: float,
    u: float = 0.0,
    position: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[Observation, ...]:
    """Translate a correction at time ``t`` into observations; empty where the record says so already.

    ``standing`` and ``position`` are those of the `Referee`.

    Raises:
        CannotCorrect: the correction does not fit the present record.
    """
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
                raise CannotCorrect("that is not what was reported last any more: look again")
            if last is None or not may_be_undone(last):
                raise CannotCorrect("what showed a card cannot be undone: correct the record instead")
            return (Overrule(t, u=u, undo=1),)
        case SetTo():
            return (Overrule(t, u=u, set=_whole(correction.fields, position)),)
        case Report():
            return (replace(correction.observation, t=t, u=u, clock=None),)
        case _:
            assert_never(correction)


def _whole(fields: Mapping[str, Any], position: Mapping[str, Any]) -> dict[str, Any]:
    """The fields as an overrule sets them."""
    whole = dict(fields)
    for name in ("hands", "scores"):
        if isinstance(given := whole.get(name), Mapping):
            whole[name] = [given.get(i, now) for i, now in enumerate(position[name])]
            if name == "hands" and "draw_pile" not in whole:
                whole["draw_pile"] = position["draw_pile"] - sum(whole[name]) + sum(position[name])
    return whole


def _anew(
    standing: Sequence[Observation], old: Observation, new: Observation | None, t: float, u: float
) -> Iterator[Observation]:
    """Undo everything from ``old`` on, then repeat it with ``new`` in place of ``old``."""
    place = next((i for i in range(len(standing) - 1, -1, -1) if standing[i] == old), None)
    if place is None:
        raise CannotCorrect("that is no longer in the record, or too long ago: look again at what is there now")
    rest = standing[place + 1 :]
    yield Overrule(t, u=u, undo=1 + sum(not isinstance(one, Overrule) for one in rest))
    scale = min(1.0, SPAN_S / max(SPAN_S, (rest[-1].t if rest else old.t) - old.t))
    if new is not None:
        yield new.at(t, scale)
    for one in rest:
        yield one.at(t + (one.t - old.t) * scale, scale)
