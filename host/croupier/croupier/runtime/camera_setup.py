"""The page Camera: which camera looks at the table, and the places on its picture.

What is saved goes into `croupier.toml` and the file of the calibration; the table uses it at once.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from threading import Lock
from typing import Final

from croupier.config import Config, change
from croupier.files import put
from croupier.i18n import from_others, speaking
from croupier.runtime.camera_places import CameraPlaces, noted
from croupier.runtime.devices import REAL, Factories, zones_if_calibrated
from croupier.runtime.table import Table
from croupier.table_api.live_table import CameraOrder, CameraView

CALIBRATION: Final = "table.toml"
"""The usual name of the calibration's file, in the folder of `croupier.toml`."""


class CameraSetup:
    """Sets up the camera of the table that the file ``path`` describes; ``config``: its content. Thread-safe.

    ``cameras``: sources and names of the cameras that are connected; ``factories``: make the devices.
    """

    def __init__(
        self, path: Path, config: Config, cameras: Collection[tuple[str, str]] = (), factories: Factories = REAL
    ) -> None:
        self._path, self._factories, self._lock = path, factories, Lock()
        self._places = CameraPlaces(config, factories.reader, cameras)

    def carry_out(self, order: CameraOrder, table: Table) -> CameraView:
        """Carry out an order, and look at the table."""
        notes: list[str] = []
        with self._lock, speaking(order.language):
            with noted(notes):
                self._choose_camera(order, table)
            if misfit := table.run.watch.misfit:
                notes.append(from_others(misfit))
            return self._places.look(
                order, table.devices.camera, table.run.watch.frame, table.run.session.header, notes,
                lambda: self._save(table),
            )  # fmt: skip

    def _choose_camera(self, order: CameraOrder, table: Table) -> None:
        if order.source is not None and order.source != self._places.config.camera.source:
            self._use_source(order.source, table)
        elif order.measures and table.run.watch.frame is None:
            table.use_camera(table.devices.camera, None, table.devices.readers)  # it may not fit any more

    def _save(self, table: Table) -> None:
        """Write the calibration, and let the table use it. Raises `CroupierError`."""
        places = self._places
        if (found := places.unsaved) is None:
            return
        camera = places.config.camera
        put(camera.calibration or self._path.parent / CALIBRATION, found.to_toml().encode())
        config = places.config
        if camera.calibration is None:
            config = change(self._path, _camera_options(calibration=CALIBRATION))
        places.note_saved(config)
        zones = zones_if_calibrated(places.config)
        table.use_camera(table.devices.camera, zones, self._factories.readers(places.config))

    def _use_source(self, source: str, table: Table) -> None:
        """Look with another camera, whose picture nobody has calibrated. Raises `CroupierError`."""
        config = change(self._path, _camera_options(source=source))
        self._places.use(config)
        before = table.devices.camera
        camera = self._factories.camera(config, table.clock.now, table.inbox.wake)
        camera.start()
        table.use_camera(camera, None, table.devices.readers)
        before.close()


def _camera_options(**options: str) -> dict[tuple[str, ...], str | None]:
    """Return these options of ``[camera]``, with which no others of the calibration stay."""
    names = ("calibration", "pile", "show", "card_px", *options)
    return {("camera", name): options.get(name) for name in names}
