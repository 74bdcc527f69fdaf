"""The devices of a table: made from the configuration and polled by the loop. Each may be missing or come later."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from cardsight.camera_check import CameraMonitor
from cardsight.card_reader import CardReader
from cardsight.sources import Source
from cardsight.sources.frames import PictureFiles, VideoFile
from croupier import plugins
from croupier.alarms import AlarmRegistry
from croupier.commands import Key
from croupier.config import Config
from croupier.config.model import layout, uses_pi_pins, uses_pico
from croupier.config.sections import is_device
from croupier.devices.manual_dealer import ManualDealer
from croupier.devices.pico import OVERFLOW, Line, Pico
from croupier.devices.protocols import Asked, EventSource, ExitCamera, JobLog, Machine, NullRing, Ring, Shoe
from croupier.errors import BadConfig
from croupier.events import DeviceBack, DeviceLost
from croupier.i18n import _
from croupier.pictures import table_reader
from croupier.pictures.live_camera import LiveCamera
from croupier.runtime.camera import Readers
from croupier.runtime.camera_check import CameraCheck
from croupier.runtime.inbox import Inbox
from croupier.runtime.open_hands import CloseLooks, CloseReaders
from croupier.runtime.planner import Plan, seat_by_seat
from croupier.runtime.sequencer import Sequencer
from croupier.runtime.session import GameSession
from croupier.runtime.table_camera import NullCamera, PacedFile, TableCamera, Zones

if TYPE_CHECKING:
    from cardsight.calibrate import Calibration
    from cardsight.light import White

Now = Callable[[], float]
"""The table's clock (s)."""

GRACE_S: Final = 1.0
"""A machine may be silent for this time without an alarm, as after a reset or a touched cable."""
START_S: Final = 3.0
"""Time for the first answer of a machine after the program's start."""


@dataclass(frozen=True, slots=True)
class Devices:
    """All devices of a table.

    ``zones``: None without a calibrated camera. ``has_shoe``: False if people deal. ``plan``: the order in which the
    shoe deals. ``machines``: by their names in faults and alarms. ``needed``: machines without which play is not fair.
    ``sources``: sources of events besides the machines. ``exit_camera``: None if nobody reads what the shoe deals.
    """

    camera: TableCamera
    zones: Zones | None
    readers: Readers
    shoe: Shoe
    ring: Ring
    machines: Mapping[str, Machine]
    needed: frozenset[str]
    sources: Mapping[str, EventSource] = field(default_factory=dict)
    exit_camera: ExitCamera | None = None
    has_shoe: bool = True
    plan: Plan = seat_by_seat


class DeviceManager:
    """Opens, polls and closes the devices of a table, and detects their failures."""

    def __init__(self, devices: Devices, alarms: AlarmRegistry, now: Now) -> None:
        self.devices, self._alarms, self._now = devices, alarms, now
        self._began = now()
        self._silent_since: dict[str, float] = {}
        self._lost: set[str] = set()

    def start(self) -> None:
        """Open every device; a device that fails is tried again."""
        self.devices.camera.start()
        for machine in self.devices.machines.values():
            machine.start()
        if self.devices.exit_camera is not None:
            self.devices.exit_camera.start()

    def close(self) -> None:
        """Switch motors and lights off, and release all devices."""
        for machine in self.devices.machines.values():
            machine.close()
        self.devices.camera.close()
        if self.devices.exit_camera is not None:
            self.devices.exit_camera.close()
        if (close_looks := self.devices.readers.close_looks) is not None:
            close_looks.close()

    def recover(self, session: GameSession, fault: str) -> None:
        """Let the shoe find the outcome of the jobs for which the journal has none. ``fault``: the shoe's uncleared
        fault in the log."""
        self.devices.shoe.recover(None if session.is_uncounted else session.open_jobs(), fault)

    def begin_game(self) -> bool:
        """Prepare for another game, and report lost devices to it. Returns False while cards of the last game are
        fed."""
        is_ready = self.devices.shoe.begin_game()
        if is_ready:
            self._lost.clear()
        return is_ready

    def poll(self, inbox: Inbox, sequencer: Sequencer) -> None:
        """Put the events and the watermark of every device into the inbox, and report devices that were lost or came
        back."""
        sources: dict[str, EventSource] = {**self.devices.machines, **self.devices.sources}
        if (exit_camera := self.devices.exit_camera) is not None:
            sources["exit camera"] = exit_camera
            self._alarms.set("exit", "missing" if exit_camera.trouble else "", exit_camera.trouble)
        for name, source in sources.items():
            # The watermark first: it does not cover an event that comes later.
            until = source.watermark()
            inbox.put(*source.poll())
            inbox.mark(name, until)
        lost = {name: kind for name, machine in self.devices.machines.items() if (kind := self._check(name, machine))}
        now = self._now()
        inbox.put(*(DeviceBack(now, name) for name in sorted(self._lost - lost.keys())))
        inbox.put(*(DeviceLost(now, name, lost[name]) for name in sorted(lost.keys() - self._lost)))
        self._lost = set(lost)
        stuck = ", ".join(key for machine in self.devices.machines.values() for key in machine.stuck)
        self._alarms.set("buttons", "stuck" if stuck else "", stuck)
        ring, shoe = self.devices.ring, self.devices.shoe
        self._alarms.set("ring", "gone" if ring.fault else "", ring.fault)
        if self.devices.has_shoe:
            self._alarms.set("shoe", shoe.fault)
            sequencer.wait_for("shoe", shoe.is_recovering, now)

    def use_camera(self, camera: TableCamera, zones: Zones | None, readers: Readers) -> None:
        """Go on with this camera, calibration and readers."""
        if (before := self.devices.readers) is not readers and before.close_looks is not None:
            before.close_looks.close()
        self.devices = replace(self.devices, camera=camera, zones=zones, readers=readers)

    def acknowledge(self) -> None:
        """Note that a person pressed go, and so has seen the machines' alarms."""
        for machine in self.devices.machines.values():
            machine.acknowledge()

    def _check(self, name: str, machine: Machine) -> str:
        """Set a machine's alarm. Returns the kind of fault if a needed machine is lost, else ""."""
        alarm = machine.alarm()
        if alarm is None:
            self._silent_since.pop(name, None)
            self._alarms.set(name, "")
            return ""
        (kind, detail), now = alarm, self._now()
        since = self._silent_since.setdefault(name, now)
        if kind != OVERFLOW and (now - since < GRACE_S or now - self._began < START_S):
            return ""
        self._alarms.set(name, kind, detail)
        return kind if name in self.devices.needed else ""


def open_devices(
    config: Config,
    now: Now,
    inbox: Inbox,
    asked: Asked,
    job_log: JobLog,
    factories: Factories,
) -> Devices:
    """Make the devices that ``config`` describes; `DeviceManager.start` opens them.

    ``asked``: returns the seat for which a key on the table's panel counts.

    Raises:
        CroupierError: the configuration names something that cannot be used.
    """
    zones, readers = factories.zones(config), factories.readers(config)
    camera = factories.camera(config, now, inbox.wake)
    machines: dict[str, Machine] = {}
    if uses_pico(config):
        line = factories.link(config.pico.port, now, inbox.wake)
        machines["pico"] = Pico(line, layout(config), job_log, has_buttons=config.buttons.kind == "pico")
    if uses_pi_pins(config):
        machines["pi"] = factories.pi(config, now, asked.seat, inbox.wake, job_log)
    shoe = machines[config.shoe.kind].shoe if config.shoe.kind in machines else None
    ring = machines[config.ring.kind].ring if config.ring.kind in machines else None
    dealer = ManualDealer(asked, now)
    return Devices(
        camera=camera,
        zones=zones,
        readers=readers,
        shoe=shoe or dealer,
        ring=ring or NullRing(),
        machines=machines,
        needed=frozenset({config.shoe.kind, config.buttons.kind}),
        sources={} if shoe else {"people who deal": dealer},
        exit_camera=factories.exit_camera(config, now, inbox.wake) if shoe and config.shoe.exit_camera else None,
        has_shoe=shoe is not None,
        # Only the Pico's shoe has a turntable.
        plan=layout(config).plan if config.shoe.kind == "pico" else seat_by_seat,
    )


def open_camera(config: Config, now: Now, wake: Callable[[], None]) -> TableCamera:
    """Make the camera that ``config`` names; ``wake``: called for each frame."""
    if config.camera.source == "none":
        return NullCamera(now)
    open_again = table_reader.source_opener(config.camera, now)
    return LiveCamera(
        lambda: _paced(open_again(), now), now, wake, patience_s=table_reader.silent_after_s(config.camera),
        is_film=not is_device(config.camera.source),
    )  # fmt: skip


def open_source(config: Config, now: Now) -> Source:
    """Open the source of the camera's frames; a file plays in real time. Raises OSError if that fails."""
    return _paced(table_reader.open_source(config.camera, now), now)


def _paced(source: Source | None, now: Now) -> Source:
    assert source is not None
    return PacedFile(source, now) if isinstance(source, PictureFiles | VideoFile) else source


def open_exit_camera(config: Config, now: Now, wake: Callable[[], None]) -> ExitCamera:
    """Make the camera at the card exit that ``config`` names.

    Raises:
        PluginUnavailable: what reads and seals the faces is not installed.
        ModelNotFound: the card reader has no model.
    """
    camera: ExitCamera = plugins.load(plugins.FACE_SEALERS, plugins.SEALER).open_camera(config, now, wake)
    return camera


def zones_if_calibrated(config: Config) -> Zones | None:
    """Return `zones_of`; None also before the camera is calibrated. Raises `BadCalibration`."""
    camera = config.camera
    return None if camera.calibration is None and camera.pile is None else zones_of(config)


def zones_of(config: Config) -> Zones | None:
    """Return the zones in the picture; None without a camera.

    Raises:
        BadCalibration: the calibration cannot be used.
        BadConfig: there is neither a calibration nor zones.
    """
    camera = config.camera
    if camera.source == "none":
        return None
    if camera.calibration is not None:
        return _calibrated_zones(table_reader.calibration(camera.calibration))
    if camera.pile is None or camera.show is None or camera.card_px is None:
        raise BadConfig(
            _(
                "[camera]: the place of the discard pile in the picture is missing: expected a calibration "
                '(made by croupier calibrate), pile, show and card_px, or source = "none"'
            )
        )
    return Zones(_box(*camera.pile), _box(*camera.show), camera.card_px, camera.card_px)


def _box(left: int, top: int, width: int, height: int) -> tuple[int, int, int, int]:
    return left, top, left + width, top + height


def _calibrated_zones(calibration: Calibration) -> Zones:
    width, height = calibration.size

    def bounding_box(corners: Any) -> tuple[int, int, int, int]:
        left, top = corners.min(axis=0)
        right, bottom = corners.max(axis=0)
        return max(0, int(left)), max(0, int(top)), min(width, int(right) + 1), min(height, int(bottom) + 1)

    plane = calibration.plane
    x, y = plane.to_mm(calibration.tally_px().mean(axis=0, keepdims=True))[0]
    return Zones(
        pile=bounding_box(calibration.pile_px()),
        show=bounding_box(calibration.tally_px()),
        pile_card_px=calibration.card_px(calibration.pile),
        show_card_px=calibration.card_px((float(x), float(y))),
        seats_px=tuple((float(x), float(y)) for x, y in plane.to_px(calibration.seats)) if calibration.seats else (),
        size=calibration.size,
    )


def reader_of(config: Config) -> CardReader:
    """Return the card reader for the deck and the light that ``config`` names.

    Raises:
        ModelNotFound: the card reader has no model.
        BadProfile: the profile of the deck cannot be used.
        BadCalibration: the calibration cannot be used.
    """
    from croupier.pictures.corrections import LearningReader

    deck, white = config.deck, table_reader.white(config.camera)
    reader, corrections = table_reader.reader_of(deck.profile), deck.corrections
    return _balanced(reader, white) if corrections is None else LearningReader(reader, corrections, white)


def close_readers_of(config: Config) -> CloseReaders | None:
    """Return the reader that also names cards by a printed corner alone, for hands of any number of cards; None for a
    deck with a profile, whose corners it does not know. Raises as `reader_of`."""
    from cardsight.explanation import CloseReader
    from cardsight.reader import Reader
    from croupier.pictures.corrections import LearningReader

    if config.deck.profile is not None:
        return None
    model, corrections = table_reader.shipped_model(), config.deck.corrections
    reader = Reader(model) if corrections is None else LearningReader(Reader(model), corrections)
    fitted, white = table_reader.shipped_layout(), table_reader.white(config.camera)
    return lambda number: _balanced(CloseReader(reader, model, fitted, number), white)


def _balanced(reader: CardReader, white: White | None) -> CardReader:
    from cardsight.light import WhiteBalancedReader

    return reader if white is None else WhiteBalancedReader(reader, white)


def make_link(port: str, now: Now, wake: Callable[[], None]) -> Line:
    """Make the line to the Pico at ``port``."""
    from croupier.link.link import Link

    return Link(port, now, wake)


def make_pi(
    config: Config, now: Now, asked: Callable[[Key], int | None], wake: Callable[[], None], job_log: JobLog
) -> Machine:
    """Make the machine on the Pi's own pins. Raises `PluginUnavailable` where it is not installed."""
    machine: Machine = plugins.pi_pins().open(config, layout(config), now, asked, wake, job_log)
    return machine


@dataclass(frozen=True, slots=True)
class Factories:
    """Functions that make the devices of a real table; a test passes others."""

    camera: Callable[[Config, Now, Callable[[], None]], TableCamera] = open_camera
    zones: Callable[[Config], Zones | None] = zones_of
    reader: Callable[[Config], CardReader] = reader_of
    close_readers: Callable[[Config], CloseReaders | None] = close_readers_of
    link: Callable[[str, Now, Callable[[], None]], Line] = make_link
    exit_camera: Callable[[Config, Now, Callable[[], None]], ExitCamera] = open_exit_camera
    pi: Callable[[Config, Now, Callable[[Key], int | None], Callable[[], None], JobLog], Machine] = make_pi

    def readers(self, config: Config) -> Readers:
        """Make the card readers of a table. Raises as `reader_of`."""
        reader = self.reader(config)
        beside = ThreadPoolExecutor(1, thread_name_prefix="close look")
        looks = CloseLooks(lambda: self.close_readers(config), beside)
        check = partial(CameraCheck, make_parts=lambda: self.check_parts(config), executor=beside)
        return Readers(reader, reader, lambda: self.reader(config), looks, check)

    def check_parts(self, config: Config) -> tuple[CardReader, CameraMonitor]:
        """Make the parts of the check of the camera. Raises as `reader_of`."""
        model = None if config.deck.profile is not None else table_reader.shipped_model()
        return self.reader(config), CameraMonitor(model)


REAL: Final = Factories()
