"""An app that serves the film of a simulated table as MJPEG, as on a phone above it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import cv2

from cardsight.geometry import Image
from tests.vision.network_cameras import PhoneApp


class AppFilm:
    """The app of a phone, which serves MJPEG."""

    def __init__(self, app: PhoneApp) -> None:
        self._app, self.url = app, app.url("/")

    def show(self, picture: Image) -> None:
        """As `Film`."""
        if self._app.has_stream.is_set():
            with suppress(OSError):
                self._app.send(cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 85])[1].tobytes())


@contextmanager
def film_of_app() -> Iterator[AppFilm]:
    """An app that serves the film."""
    with PhoneApp() as app:
        yield AppFilm(app)
