"""The live table as the page sees it: its state, its camera, and the entry for commands.

The page changes nothing itself. A command goes to the `LiveTable`, which treats it like a key press at the table; the
outcome stands in the log.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar
from zlib import crc32

from croupier.commands import Command
from croupier_rules.referee.moves import SeatMoves

CLIP_KEPT_S: Final = 90.0
CLIP_BEFORE_S: Final = 1.5
CLIP_AFTER_S: Final = 5.0
"""As in `cardsight.track.clip`, which the page does not load: time for which clips are kept, and the most that they
show before and after a touch."""

_SOON_S: Final = 2.0
"""A table that is too busy to answer by then has no picture to show, and keeps no codes."""

LONG_S: Final = 20.0
"""The same for the setup of the camera, which may read cards on a slow machine and close a camera that hangs, and for a
clip or an appeal, which is worked out first."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LiveLine:
    """A line of the live ``game`` as its journal has it: ``text``, with the verdict of the table. ``n``: the number of
    its observation, from 1; ``phase``: of the game after it."""

    game: int
    n: int
    text: str
    phase: str


@dataclass(frozen=True, slots=True)
class Request(Generic[T]):
    """Request of the page that waits for an answer of the table.

    ``number``: the answer has it, too. ``within_s``: the longest wait.
    """

    number: int = field(default=0, kw_only=True, compare=False)
    within_s: ClassVar[float] = _SOON_S


@dataclass(frozen=True, slots=True)
class TableOffers:
    """Offers of the table after ``n`` observations of its game. ``moves``: of each seat; ``hands``: the faces that
    are known to be in the hand of each seat: for its player alone."""

    n: int
    moves: tuple[SeatMoves, ...]
    hands: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class OpenHands:
    """Hands that are laid open at the end of a round. ``due``: the seats that are still due, the next first.
    ``cards``: as the camera reads those that lie still, with ``?``; ``must_be_taken_up``: the last hand lies there."""

    due: tuple[int, ...]
    cards: tuple[str, ...] = ()
    must_be_taken_up: bool = False


@dataclass(frozen=True, slots=True)
class LiveTableState:
    """A snapshot of the table that is being played at.

    ``game``: its number in the journal; 0 before there is one.
    ``candidates``: faces that the unread top card may have, likeliest first; empty if it was read.
    ``sightings``: by the time (s) at which one of the last cards was laid, the faces that it may show, likeliest first.
    ``faults``: faults that may be provoked; only a simulated table has some.
    ``alarms``: what does not work now, as devices and kinds of `croupier.alarms`.
    ``seen``: what was seen of each alarm, in the same order; "" where nothing was.
    ``has_camera``: a camera sees the laid cards; otherwise people report them.
    ``has_shoe``: a shoe deals; otherwise people do.
    ``may_start_game``: another game may be started now.
    ``can_set_up_camera``: the page Camera is offered.
    ``language``: of everybody without one of their own; ``theme``: the colors, ``auto``, ``light`` or ``dark``.
    ``no_call``: when all screens show that UNO was not called: ``never``, ``after`` the time to catch, or ``at-once``.
    ``settings``: those that can be changed on the page; ``None``: none can.
    ``receipts``: where people check receipts: the address of a hub; ``None`` without one.
    ``offers``: what the table offers now; ``None`` before there is a game.
    ``plugins``: by the name of a plug-in, what its part of the page shows.
    ``open_hands``: ``None`` unless hands are laid open for all to see.
    """

    game: int
    is_simulation: bool
    candidates: tuple[str, ...]
    sightings: tuple[tuple[float, tuple[str, ...]], ...]
    faults: tuple[str, ...]
    alarms: tuple[tuple[str, str], ...]
    has_camera: bool
    has_shoe: bool
    may_start_game: bool
    can_set_up_camera: bool
    language: str
    theme: str
    settings: Settings | None
    receipts: str | None = None
    offers: TableOffers | None = None
    plugins: tuple[tuple[str, Any], ...] = ()
    seen: tuple[str, ...] = ()
    no_call: str = "after"
    open_hands: OpenHands | None = None

    def plugin(self, name: str) -> Any:
        """Return what the part of the page of a plug-in shows; ``None`` if the table does not use it."""
        return dict(self.plugins).get(name)


Value = str | int | bool | tuple[str, ...] | tuple[tuple[int, ...], ...] | None
"""The value of an option of `croupier.toml`; ``None``: the default."""

Options = tuple[tuple[str, Value], ...]
"""Options by name, such as ``("voice.volume", 60)``."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a table. ``now``: those that are in force as soon as they are changed; ``later``: those of the
    next game; ``running``: the same of the present game. ``next_header``: that of the next game, as in a table log;
    "" if it is as the present one. ``unsaved``: why the file has not what was changed; "" if it has.
    """

    now: Options
    later: Options
    running: Options
    next_header: str
    unsaved: str


def mark(options: Options) -> str:
    """A short text that is another one as soon as an option has another value."""
    return f"{crc32(repr(options).encode()):08x}"


@dataclass(frozen=True, slots=True)
class SettingsAnswer:
    """Outcome of a change. ``mistakes``: by option, "" for the whole; ``is_stale``: the settings are not those that
    were shown. With any of both, nothing was changed."""

    mistakes: tuple[tuple[str, str], ...] = ()
    is_stale: bool = False


@dataclass(frozen=True, slots=True)
class ChangeSettings(Request[SettingsAnswer]):
    """An admin changes settings: all ``options``, or none. ``seen``: the `mark` of those settings that were shown, of
    `Settings.now` or `Settings.later`. ``language``: of the answer."""

    options: Mapping[str, Value]
    seen: str
    language: str = "en"
    within_s: ClassVar[float] = LONG_S


@dataclass(frozen=True, slots=True)
class CameraInvitation:
    """How another device, such as a phone, becomes the camera. ``url``: with a token for one device; ``code``: the same
    as a QR code (SVG). ``fingerprint``: of the certificate, as its browser can show it. ``status``: what it does.
    ``network``: the name of the one in which that works; ``others``: name, ``url`` and ``code`` in each other one."""

    url: str
    code: str
    fingerprint: str
    status: str
    network: str = ""
    others: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class CameraView:
    """The table on the page Camera, in px of the picture of ``size``.

    ``jpeg``: empty without a picture. ``cards``: name and outline of each card that was read. ``pile``: corners of the
    discard pile; empty while the scale is unknown. ``seats``: names and places of the seats, at the rim where they are
    outside. ``cameras``: sources and names. ``notes``: what is seen, and what to do. ``is_saved``: the table plays by
    these places. ``invitation``: None unless another device is to become the camera.
    """

    jpeg: bytes
    size: tuple[int, int]
    cards: tuple[tuple[str, tuple[tuple[float, float], ...]], ...]
    pile: tuple[tuple[float, float], ...]
    seats: tuple[tuple[str, tuple[float, float]], ...]
    cameras: tuple[tuple[str, str], ...]
    source: str
    notes: tuple[str, ...]
    is_saved: bool
    invitation: CameraInvitation | None = None


@dataclass(frozen=True, slots=True)
class CameraOrder(Request[CameraView]):
    """Order of an admin on the page Camera; without values, a look at the table.

    ``source``: use this camera. ``pile``, ``seats``: these places (px of the picture). ``measures``: take the scale
    from what lies there. ``saves``: write the calibration, and use it. ``language``: of the answer.
    """

    source: str | None = None
    pile: tuple[float, float] | None = None
    seats: tuple[tuple[float, float], ...] | None = None
    measures: bool = False
    saves: bool = False
    language: str = "en"
    within_s: ClassVar[float] = LONG_S


@dataclass(frozen=True, slots=True)
class PileClip:
    """A card that touched the discard pile at ``t`` ± ``u`` (s). ``outline``: where it lies, in px of the pictures of
    ``size``; ``frames``: the time (s) and JPEG of each. They show no card that was not laid."""

    t: float
    u: float
    size: tuple[int, int]
    outline: tuple[tuple[float, float], ...]
    frames: tuple[tuple[float, bytes], ...]


@dataclass(frozen=True, slots=True)
class PileVerdict:
    """What the kept pictures show of a card: its likeliest ``face``, ``?`` if none; ``shown`` of ``pictures`` pictures
    show it. ``is_sure``: so clearly that the record may be changed."""

    face: str
    shown: int
    pictures: int
    is_sure: bool


@dataclass(frozen=True, slots=True)
class CameraRequest(Request[bytes]):
    """The last camera frame as JPEG; ``plain``: as the camera sees it, without readings drawn in; ``is_pile``: only the
    discard pile. None if there is no frame, or if the table is too busy."""

    plain: bool = False
    is_pile: bool = False


@dataclass(frozen=True, slots=True)
class ClipRequest(Request[PileClip]):
    """The clip of the card that touched at ``t`` (s), at least to ``until``; none if it is not kept."""

    t: float
    until: float
    within_s: ClassVar[float] = LONG_S


@dataclass(frozen=True, slots=True)
class AppealRequest(Request[PileVerdict]):
    """Read the kept pictures of the card that touched at ``t`` (s) again. No verdict if there are none."""

    t: float
    within_s: ClassVar[float] = LONG_S


def done() -> Future[None]:
    """The result of a command that leaves nothing to write."""
    result: Future[None] = Future()
    result.set_result(None)
    return result


class LiveTable(Protocol):
    """The table that is being played at. Thread-safe."""

    @property
    def state(self) -> LiveTableState:
        """The state now."""

    def ask(self, request: Request[T]) -> T | None:
        """Carry out a request, which may take up to its ``within_s``; ``None`` where this table has nothing to answer.
        Raises `NoAnswer`."""

    def submit(self, command: Command) -> Future[None]:
        """Take in a command; the table carries it out, or not, as the rules and its state allow. The result is there
        when the lines that follow from it are on the disk, or none follow."""
