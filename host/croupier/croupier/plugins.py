"""Plug-ins: parts of the program in distributions of their own, found by their entry points.

An entry point has a group (what is added), a name (what people ask for) and an object. An object is loaded when its
name is asked for, so that a plug-in costs nothing until it is used. Each group is described in docs/plugins.md.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from math import inf
from typing import TYPE_CHECKING, Any, Final, Protocol

from croupier.errors import PluginUnavailable, marked
from croupier.installer import how_to_install

if TYPE_CHECKING:
    from datetime import date
    from importlib.metadata import EntryPoint
    from pathlib import Path

    from cardsight.sources import Source
    from croupier.game_views.signs import Mark
    from croupier.game_views.story import Moment, Story
    from croupier.networks import Network

COMMANDS: Final = "croupier.commands"
"""Commands of `croupier`: each names a `typer.Typer`. `croupier --help` loads the modules, so heavy imports stay inside
the command functions."""

SECTIONS: Final = "croupier.sections"
"""Sections of `croupier.toml`: each names a subclass of `croupier.config.options.Section`, or a tuple of any number of
them (``tuple[Webhook, ...]``), for a section that may be repeated."""

OBSERVERS: Final = "croupier.observers"
"""Observers of a running table, by the section of `croupier.toml` that asks for them: each names a
`croupier.observers.OpenObserver`."""

PAGES: Final = "croupier.pages"
"""Parts of the page: each names a `croupier.web.pages.PagePlugin`."""

CAMERAS: Final = "croupier.cameras"
"""Kinds of cameras, by the word with which ``[camera] source`` begins: each names a `CameraKind`."""

FACE_SEALERS: Final = "croupier.face_sealers"
"""The camera at the card exit, and what seals the faces that it reads. Only the name `SEALER` is asked for: a class
with the arguments of `OpenSealer`, and two static methods: ``open_camera(config, now, wake)`` returns an `ExitCamera`,
``deck_report(archive, game)`` the lines of `croupier journal deck`."""

SEALER: Final = "exit_camera"

MACHINES: Final = "croupier.machines"
"""Machines of a table. Only the name `PI_PINS` is asked for: the Pi's own pins, a `PiPins`."""

PI_PINS: Final = "pi_pins"

CERTIFICATES: Final = "croupier.certificates"
"""Certificates with which the page is served by HTTPS, too. Only the name `OWN_CERTIFICATE` is asked for: a class of
`ServerCertificate`s, made of the file of one."""

OWN_CERTIFICATE: Final = "own"

CHECKS: Final = "croupier.checks"
"""Checks of `croupier doctor`: each names a tuple of `croupier.doctor.check.Check`."""

BUNDLES: Final = "croupier.bundles"
"""Files for a bug report. Only the name `BUNDLE` is asked for: an object with the functions ``check_place`` and
``write`` of `croupier doctor --bundle`."""

BUNDLE: Final = "bundle"

TRIALS: Final = "croupier.trials"
"""Trials of a whole machine. Only the name `SHOE_TRIAL` is asked for: an object with the functions ``on_machine`` and
``simulated`` of `croupier doctor --shoe`."""

SHOE_TRIAL: Final = "shoe_trial"

SEARCHES: Final = "croupier.searches"
"""What `croupier host` looks for: each names a function of the table's file, and of what asks people, or None."""

DOCUMENTS: Final = "croupier.documents"
"""Files of other kinds that show a game, by the name of the file: each names a `Document`. The page has them below the
address of the game (``/games/1/score.pdf``); ``croupier score show --pdf`` asks for `SCORE_SHEET`."""

SCORE_SHEET: Final = "score.pdf"

GAMES: Final = "croupier.games"
"""Games that are kept in files of their own: each names a function that yields the `GameFile`s beside a journal."""

PEOPLE: Final = "croupier.people"
"""People who have played: each names a function that yields their names beside a journal, who came last first."""

_MOST_NAMES: Final = 20
"""People who are listed where names are typed."""

RESPONDERS: Final = "croupier.responders"
"""What announces the name of the page in a network. Only the name `MDNS` is asked for: an `OpenResponder`."""

MDNS: Final = "mdns"

_DISTRIBUTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    COMMANDS: {
        "audit": "croupier-tally", "backup": "croupier-extras", "bench": "croupier-bench",
        "calibrate": "croupier-tally", "demo": "croupier-sim", "enroll": "croupier-tally", "evening": "croupier-extras",
        "firmware": "croupier-extras", "hub": "croupier-hub", "link": "croupier-extras", "notation": "croupier-extras",
        "play": "croupier-extras", "position": "croupier-extras", "read": "croupier-tally",
        "restore": "croupier-extras", "rollback": "croupier-extras", "rules": "croupier-extras",
        "score": "croupier-tally", "stats": "croupier-extras", "tally": "croupier-tally", "tournament": "croupier-hub",
        "update": "croupier-extras", "voice": "croupier-extras",
    },
    SECTIONS: {"mqtt": "croupier-extras", "tournament": "croupier-hub", "voice": "croupier-extras",
               "webhooks": "croupier-extras"},
    RESPONDERS: {MDNS: "croupier-extras"}, CAMERAS: {"phone": "croupier-extras"},
    CERTIFICATES: {OWN_CERTIFICATE: "croupier-extras"},
    DOCUMENTS: {
        "evening.html": "croupier-extras", "evening.png": "croupier-extras", "moment.png": "croupier-extras",
        SCORE_SHEET: "croupier-extras",
    },
    FACE_SEALERS: {SEALER: "croupier-extras"}, MACHINES: {PI_PINS: "croupier-extras"},
    TRIALS: {SHOE_TRIAL: "croupier-extras"}, BUNDLES: {BUNDLE: "croupier-extras"},
}  # fmt: skip
"""The distribution of each plug-in that is developed together with the program, by group and name: what to install
where somebody asks for it."""

OWN_CAMERAS: Final = ("usb", "pi", "none")
"""The kinds of cameras that are no plug-ins."""


@cache
def _entries(group: str) -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # loads the library for e-mail

    return {entry.name: entry for entry in entry_points(group=group)}


def names(group: str) -> tuple[str, ...]:
    """The names in a group that installed distributions offer, sorted."""
    return tuple(sorted(_entries(group)))


def load(group: str, name: str, distribution: str = "") -> Any:
    """Return the object of an entry point. ``distribution``: brings it, where the program does not know the group.

    Raises:
        PluginUnavailable: no installed distribution offers it, or one that does lacks a package.
    """
    entry = _entries(group).get(name)
    if entry is None:
        raise unavailable(group, name, distribution)
    try:
        return entry.load()
    except ModuleNotFoundError as err:
        raise incomplete(name, err, entry.dist.name if entry.dist is not None else name) from err


def incomplete(name: str, missing: ModuleNotFoundError, distribution: str) -> PluginUnavailable:
    """The error of somebody who asks for ``name``, of which a module is ``missing`` that ``distribution`` brings."""
    text = marked("{name} needs {module}, which is not installed: {command}")
    return PluginUnavailable(text, name=name, module=missing.name, command=how_to_install(distribution))


def loaded(group: str, on_missing: Callable[[PluginUnavailable], None] = lambda err: None) -> dict[str, Any]:
    """The objects of a group by name. ``on_missing``: called for one that lacks a package, which is left out."""
    found: dict[str, Any] = {}
    for name in names(group):
        try:
            found[name] = load(group, name)
        except PluginUnavailable as err:
            on_missing(err)
    return found


def camera_kind(source: str) -> CameraKind | None:
    """The plug-in's kind of camera that a ``[camera] source`` names; None for the program's own kinds, and for files.

    Raises:
        PluginUnavailable: a known kind is not installed, or one lacks a package.
    """
    name = source.partition(":")[0]
    if "://" in source or name in OWN_CAMERAS or not is_known(CAMERAS, name):
        return None
    kind: CameraKind = load(CAMERAS, name)
    return kind


def pi_pins() -> PiPins:
    """The devices on the Pi's own pins. Raises `PluginUnavailable` where they are not installed."""
    kind: PiPins = load(MACHINES, PI_PINS)
    return kind


def is_known(group: str, name: str) -> bool:
    """True if a group has a name, or a distribution that is developed together with the program would add it."""
    return name in _entries(group) or name in _DISTRIBUTIONS.get(group, {})


def missing_commands() -> list[str]:
    """The known commands that no installed distribution offers."""
    return [name for name in _DISTRIBUTIONS[COMMANDS] if name not in _entries(COMMANDS)]


def unavailable(group: str, name: str, distribution: str = "") -> PluginUnavailable:
    """The error of somebody who asks for a ``name`` of a ``group``, which no installed distribution offers.
    ``distribution``: as of `load`."""
    distribution = distribution or _DISTRIBUTIONS.get(group, {}).get(name, "")
    if not distribution:
        return PluginUnavailable(marked("no installed package offers {name}"), name=name)
    text = marked("{name} is not installed here: {command}")
    return PluginUnavailable(text, name=name, command=how_to_install(distribution))


@dataclass(frozen=True, slots=True, kw_only=True)
class CameraKind:
    """A kind of camera: ``source = "NAME"``, or ``"NAME:WHICH"``.

    ``open``: opens it, of its section (`croupier.config.sections.Camera`) and the table's clock; raises `NoCamera` or a
    `CroupierError`. A source with a property ``invitation``, a `croupier.table_api.live_table.CameraInvitation`, tells
    on the page Camera how a device becomes it. ``check``: raises `croupier.config.options.InvalidValue` where the text
    of a source is wrong. ``title``: what the page Camera offers it as, to be translated; "" if it is not offered there.
    ``silence``: what `croupier doctor` says and advises if it sends no picture. ``patience_s``: the time without a
    frame after which it counts as silent; infinite if it says so itself. ``keeps_rate``: False if it sends as many
    pictures as its line carries.
    """

    open: Callable[[Any, Callable[[], float]], Source]
    check: Callable[[str], None] = lambda source: None
    title: str = ""
    silence: tuple[str, str] | None = None
    patience_s: float = inf
    keeps_rate: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class PiPins:
    """The devices on the Pi's own pins, as a `croupier.config.Config` describes them.

    ``check``: raises `BadConfig` where pins cannot be used so. ``open``: makes the `croupier.devices.protocols.Machine`
    of a table, of its configuration, its `croupier.devices.pico.Layout`, its clock, what tells the seat that a shared
    key belongs to, what wakes the loop, and the job log. ``try_pins``: takes all pins for a moment; returns their
    number, and the keys that are down. ``shine``: lets a ring of so many lights show a test picture for so many
    seconds. The last two raise `GpioUnavailable`.
    """

    check: Callable[[Any], object]
    open: Callable[..., Any]
    try_pins: Callable[[Any], tuple[int, tuple[str, ...]]]
    shine: Callable[[int, float], None]


@dataclass(frozen=True, slots=True)
class GameFile:
    """A game beside the journal. ``key``: another one when the game has changed; ``began``: in seconds since 1970;
    ``address``: of its page on the site; ``load``: returns its story, and raises `BadLog` if it is damaged."""

    key: Hashable
    began: float
    address: str
    load: Callable[[], Story]


def game_files(journal: Path) -> list[GameFile]:
    """The games of all plug-ins beside the file ``journal``, the oldest first."""
    found = [game for games in loaded(GAMES).values() for game in games(journal)]
    return sorted(found, key=lambda game: game.began)


def known_names(journal: Path) -> list[str]:
    """The people of all plug-ins who have played at the table of the file ``journal``, who came last first, as many as
    are listed where names are typed."""
    return [name for names in loaded(PEOPLE).values() for name in names(journal)][:_MOST_NAMES]


@dataclass(frozen=True, slots=True)
class DrawnGame:
    """Content of a `Document`. ``moment``: the place of the game that was asked for; ``began``: the start of the game,
    if known, or the day alone; ``hub``: the address where its receipt is checked, None without one;
    ``marks``: those of people who have chosen one (`croupier.game_views.signs`)."""

    story: Story
    moment: Moment
    began: date | None = None
    hub: str | None = None
    marks: Mapping[str, Mark] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Document:
    """A kind of file that shows a game. ``draw``: returns its content in the present language; raises `CannotWrite` if
    a package is missing, and `BadLog` if the game has nothing to show yet."""

    media_type: str
    draw: Callable[[DrawnGame], bytes]


class Responder(Protocol):
    """Announces the name of a page in networks, in the background."""

    def announce(self, networks: Collection[Network]) -> None:
        """Announce it in these networks, and no longer in others. Returns at once."""

    def close(self) -> None:
        """Take the name back."""


OpenResponder = Callable[[str, int, str, Callable[[str, str], None]], Responder]
"""Makes a responder, of the host name without ``.local``, the port, the name of the table, and what is called with
each name that was free, once, and with "" and the reason where none could be announced."""


class ServerCertificate(Protocol):
    """The certificate of a running server, and its key, in a ``file`` (PEM)."""

    @property
    def file(self) -> Path:
        """The file."""

    def renew(self) -> bool:
        """Make or renew it, if it is time; whether another one is in the file. Raises `CannotWrite`."""


class FaceSealer(Protocol):
    """Keeps the faces that the shoe dealt secret until the round is over."""

    def seal(self, line: int | None, t: float, n: int) -> None:
        """Seal the cards that passed the exit up to ``t`` (s): those of a ``line`` of the log, ``n`` in number; None if
        the cards have no line."""

    def hand(self, seat: int) -> tuple[str, ...] | None:
        """Open the hand of a seat for a ruling; None if a card in it is not known."""

    def end_round(self) -> Iterable[str]:
        """Open all that is sealed, since the round is over. Returns what is wrong with the deck, in sentences."""


OpenSealer = Callable[[Any, int, Any, Any], FaceSealer]
"""Opens the sealer of a game: of a `Journal`, the number of the game, the `ExitCamera`, and the `RuleSet`."""
