"""What makes the parts of a real table; a test puts others in their place."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from cardsight.sources import Source
from cardsight.sources.frames import PictureFiles, VideoFile
from cardsight.track.cards import CardReader
from croupier.config import Config
from croupier.devices.pico import Line
from croupier.devices.protocols import JobLog, Machine
from croupier.devices.supervisor import Bell
from croupier.errors import BadConfig
from croupier.i18n import _
from croupier.pictures import table_reader
from croupier.runtime.camera import LiveCamera, NoCamera, Paced
from croupier.runtime.zones import Zones
from croupier.supervisor import Supervisor

if TYPE_CHECKING:
    from cardsight.calibrate import Calibration
    from croupier.web.accounts import Accounts
    from croupier.web.live_table import LiveTable

Now = Callable[[], float]
"""The table's clock."""


def camera(config: Config, now: Now, bell: Bell, zones: Zones | None) -> LiveCamera | NoCamera:
    """The camera that ``config`` names."""
    if zones is None:
        return NoCamera(now)
    return LiveCamera(lambda: source(config, now), now, bell, zones.misfit)


def source(config: Config, now: Now) -> Source:
    """Where its pictures come from; those of a file come in their own time. Raises OSError where there is none."""
    opened = table_reader.camera(config.camera, now)
    assert opened is not None
    return Paced(opened, now) if isinstance(opened, PictureFiles | VideoFile) else opened


def zones(config: Config) -> Zones | None:
    """Where in the picture the piles lie; None where there is no camera.

    Raises:
        BadCalibration: the calibration cannot be used.
        BadConfig: nobody said where the piles lie.
    """
    said = config.camera
    if said.source == "none":
        return None
    if said.calibration is not None:
        return _zones_of(table_reader.calibration(said.calibration))
    if said.pile is None or said.show is None or said.card_px is None:
        raise BadConfig(
            _(
                "[camera]: nobody said where the discard pile lies in the picture: expected a calibration (croupier "
                'calibrate makes one), pile, show and card_px, or source = "none"'
            )
        )
    return Zones(_box(*said.pile), _box(*said.show), said.card_px, said.card_px)


def _box(left: int, top: int, width: int, height: int) -> tuple[int, int, int, int]:
    return left, top, left + width, top + height


def _zones_of(found: Calibration) -> Zones:
    width, height = found.size

    def around(corners: Any) -> tuple[int, int, int, int]:
        """What is seen of the rectangle round these corners."""
        left, top = corners.min(axis=0)
        right, bottom = corners.max(axis=0)
        return max(0, int(left)), max(0, int(top)), min(width, int(right) + 1), min(height, int(bottom) + 1)

    middle = found.plane.to_mm(found.tally_px().mean(axis=0, keepdims=True))[0]
    return Zones(
        pile=around(found.pile_px()),
        show=around(found.tally_px()),
        pile_card_px=found.card_px(found.pile),
        show_card_px=found.card_px((float(middle[0]), float(middle[1]))),
        seats_px=tuple((float(x), float(y)) for x, y in found.plane.to_px(found.seats)) if found.seats else (),
        size=found.size,
    )


def reader(config: Config) -> CardReader:
    """The card reader, which knows the deck and the light that ``config`` names.

    Raises:
        ModelNotFound: the card reader has no model.
        BadProfile: the profile of the deck cannot be used.
        BadCalibration: the calibration cannot be used.
    """
    from cardsight.light import WhiteBalancedReader
    from croupier.pictures.table_reader import reader_of

    made, white = reader_of(config.deck.profile), table_reader.white(config.camera)
    return made if white is None else WhiteBalancedReader(made, white)


def link(port: str, now: Now, on_news: Callable[[], None]) -> Line:
    """The line to the Pico, not started."""
    from croupier.link.link import Link

    return Link(port, now, on_news)


def pi(
    config: Config, now: Now, asked: Callable[[Any], int | None], on_news: Callable[[], None], job_log: JobLog
) -> Machine:
    """The Pi's own pins, not started."""
    from croupier.config.model import layout, wiring
    from croupier.devices.gpio import PiMachine

    return PiMachine(wiring(config), layout(config), now, asked, on_news, job_log)


class OpenPage:
    """The page, open until `close`. ``wrong`` is told why it is gone meanwhile, and "" when it is back.

    Raises:
        CannotServe: the port is taken, or there is no such address here.
    """

    def __init__(
        self, config: Config, journal: Path, accounts: Accounts, live_table: LiveTable, wrong: Callable[[str], None]
    ) -> None:
        from croupier.web.worker_process import serve_in_process

        self._open = ExitStack()
        self.up = self._open.enter_context(
            serve_in_process(
                journal,
                accounts,
                live_table,
                host=config.page.address,
                port=config.page.port,
                name=config.page.name or "",
                report=wrong,
            )
        )

    def close(self) -> None:
        """No more."""
        self._open.close()


@dataclass(frozen=True, slots=True)
class Makers:
    """What makes each part."""

    camera: Callable[..., Any] = camera
    zones: Callable[[Config], Zones | None] = zones
    reader: Callable[[Config], CardReader] = reader
    link: Callable[[str, Now, Callable[[], None]], Line] = link
    pi: Callable[..., Machine] = pi
    page: Callable[..., Any] = OpenPage
    supervisor: Callable[..., Any] = Supervisor


REAL: Final = Makers()
