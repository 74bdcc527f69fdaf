"""The camera of a table that is set up on a page: its live picture, on which people drag pile and seats."""

from __future__ import annotations

from contextlib import suppress
from time import monotonic

from cardsight.sources import Frame
from croupier.config import Config
from croupier.errors import BadCalibration
from croupier.i18n import from_others
from croupier.pictures.table_reader import calibration
from croupier.runtime.camera_places import CameraPlaces
from croupier.runtime.devices import REAL, Factories
from croupier.runtime.table_camera import TableCamera
from croupier.table_api.live_table import CameraOrder, CameraView


class SetupCamera:
    """Opens the camera when somebody looks, until it is closed; the places last. Not thread-safe."""

    def __init__(self, factories: Factories = REAL) -> None:
        self._factories = factories
        self._described: tuple[object, ...] = ()
        self._places: CameraPlaces | None = None
        self._camera: TableCamera | None = None
        self._frame: Frame | None = None

    def look(self, order: CameraOrder, config: Config) -> CameraView:
        """Look through the camera of ``config``; another one than before is opened, and begins with its own places."""
        if (described := _described(config)) != self._described:
            self.forget()
            self._described = described
        notes: list[str] = []
        places = self._places = self._places or CameraPlaces(_with_calibration(config), self._factories.reader)
        if self._camera is None:
            self._camera = self._factories.camera(config, monotonic, lambda: None)
            self._camera.start()
        camera = self._camera
        with suppress(OSError):
            self._frame = camera.frame()
        if self._frame is not None and camera.trouble:
            notes.append(from_others(camera.trouble))  # the picture is an old one
        return places.look(order, camera, self._frame, config.header(), notes)

    def unsaved(self, config: Config) -> bytes | None:
        """The file of the calibration that people see now, and that is not saved; None if there is none."""
        if self._places is None or self._described != _described(config) or (found := self._places.unsaved) is None:
            return None
        return found.to_toml().encode()

    def note_saved(self) -> None:
        """Note that `unsaved` was saved."""
        if self._places is not None:
            self._places.note_saved(self._places.config)

    def close(self) -> None:
        """Release the camera."""
        if self._camera is not None:
            self._camera.close()
        self._camera = self._frame = None

    def forget(self) -> None:
        """Release the camera, and drop what was not saved."""
        self.close()
        self._places = None


def _described(config: Config) -> tuple[object, ...]:
    """Values on which the picture and its cards depend."""
    camera = config.camera
    return camera.source, camera.size, camera.fps, config.deck.profile


def _with_calibration(config: Config) -> Config:
    """The same without a calibration that is not written yet, or cannot be read."""
    with suppress(BadCalibration):
        if config.camera.calibration is not None:
            calibration(config.camera.calibration)
        return config
    return config.model_copy(update={"camera": config.camera.model_copy(update={"calibration": None})})
