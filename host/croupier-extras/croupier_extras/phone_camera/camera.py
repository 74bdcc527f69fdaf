"""The table's side of a phone's browser as camera: starts the process that serves its page, and takes in its pictures.

The process has the port and reads what comes from the network; here pictures are decoded.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from threading import Condition, Thread
from typing import Final

import cv2
import numpy as np

from cardsight.errors import NoCamera, NoFrame
from cardsight.headers import stated_size
from cardsight.sources.frames import Clock, Frame
from cardsight.sources.picture import MAX_MEGAPIXELS, Picture
from croupier.child_process import ChildProcess, python
from croupier.i18n import _
from croupier.table_api.live_table import CameraInvitation
from croupier.web.addresses import NetworkAddress, PageAddresses
from croupier.web.serving import listen
from croupier_extras.certificate import ServerCertificate
from croupier_extras.phone_camera.feed import MOST_BYTES
from croupier_extras.phone_camera.listener import PICTURE, TIME, Status

PORT: Final = 8443
"""The first port that is tried."""
PATIENCE_S: Final = 2.0
"""Time without a picture after which the phone is said to send none: longer than the usual stalls of a WLAN."""
_START_S: Final = 60.0


class PhoneCamera:
    """A `Source`: the phone whose browser shows the page of this camera.

    ``file``: of the certificate, which is made if it is missing. ``port``: None for the first free one from `PORT` on.
    ``size``, ``fps``: of the pictures that the page is asked for.

    Raises:
        CannotServe: the port is taken.
        CannotWrite: the file cannot be written.
        NoCamera: the process cannot be started.
    """

    def __init__(
        self, file: Path, *, port: int | None = None, host: str = "0.0.0.0", size: tuple[int, int], fps: float,
        clock: Clock = time.monotonic, patience_s: float = PATIENCE_S,
    ) -> None:  # fmt: skip
        self._clock, self._patience_s = clock, patience_s
        ServerCertificate(file).renew()
        self._changed = Condition()
        self._picture: tuple[float, float, bytes] | None = None
        self._status: Status | None = None
        self._damaged, self._seen_at, self._is_over = 0, clock(), False
        with listen(host, port, first=PORT) as listener:
            self.port: int = listener.getsockname()[1]
            self._addresses = PageAddresses.of(listener, scheme="https")
            self._process = ChildProcess.start(
                python("croupier_extras.phone_camera.listener:serve_phone"), file.absolute(), size, fps,
                sockets=[listener],
            )  # fmt: skip
        self._thread = Thread(target=self._receive, name="phone camera", daemon=True)
        self._thread.start()
        with self._changed:
            self._changed.wait_for(lambda: self._status is not None or self._is_over, timeout=_START_S)
        if self._status is None:
            self.close()
            raise NoCamera(_("the page for the phone’s camera is not up"))

    @property
    def invitation(self) -> CameraInvitation:
        """How a phone becomes the camera, and what is known of it, in the present language."""
        status = self._status
        assert status is not None
        here, likely = self._addresses, [one for one in self._addresses.networks if one.is_likely]
        ways = [(one.title, NetworkAddress(f"{here.url(one.addresses[0])}#{status.token}")) for one in likely]
        if not ways:
            ways = [("", NetworkAddress(f"{here.url('127.0.0.1')}#{status.token}"))]
        (network, best), *others = ways
        return CameraInvitation(
            best.url, best.svg, status.fingerprint, self.status_text, network,
            tuple((title, one.url, one.svg) for title, one in others),
        )  # fmt: skip

    @property
    def status_text(self) -> str:
        """State of the phone, in one line."""
        status = self._status
        assert status is not None
        silent_s = self._clock() - self._seen_at
        if status.state == "waiting":
            return _("No phone is the camera yet: scan the QR code on the page Camera with it.")
        if status.state == "hidden":
            return _("The phone’s page cannot be seen: wake the phone, and go back to the page of the camera.")
        if status.state == "away" or silent_s >= PATIENCE_S:
            return _("The phone does not answer: is it awake, in this network, and on the page of the camera?")
        if lost := status.dropped + self._damaged:
            return _("The phone sends pictures. Dropped as late, out of order or damaged: {n}.", n=lost)
        return _("The phone sends pictures.")

    def frame(self) -> Frame:
        """Return the newest picture; each is returned once. Raises `NoFrame`, and `NoCamera` when the process died."""
        with self._changed:
            self._changed.wait_for(lambda: self._picture is not None or self._is_over, timeout=self._patience_s)
            picture, self._picture = self._picture, None
        if picture is None:
            if self._is_over:
                raise NoCamera(_("the page for the phone’s camera is not up"))
            raise NoFrame(self.status_text)
        t, u, jpeg = picture
        image = _decoded(jpeg)
        if image is None:
            self._damaged += 1
            raise NoFrame(_("A picture from the phone was damaged."))
        self._seen_at = self._clock()
        return Frame(self._clock() - (time.monotonic() - t), image, u)

    def now(self) -> float:
        """Return the time of the clock (s)."""
        return self._clock()

    def close(self) -> None:
        """End the process."""
        self._process.end()
        self._thread.join()
        self._process.close()

    def _receive(self) -> None:
        try:
            while True:
                message = self._process.receive(MOST_BYTES + 100)
                self._take(message[:1], message[1:])
        except (EOFError, OSError):
            with self._changed:
                self._is_over = True
                self._changed.notify_all()

    def _take(self, kind: bytes, content: bytes) -> None:
        with self._changed:
            if kind == PICTURE:
                self._picture = (*TIME.unpack_from(content), content[TIME.size :])
            else:
                before, self._status = self._status, Status(**json.loads(content))
                if before is None or before.token != self._status.token:
                    self._damaged = 0  # another phone is the camera
            self._changed.notify_all()


def _decoded(jpeg: bytes) -> Picture | None:
    """Return the picture; None if it is damaged, or too large."""
    size = stated_size(jpeg)
    if size is None or size[0] * size[1] > MAX_MEGAPIXELS * 10**6:
        return None
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    return None if image is None else np.asarray(image, np.uint8)
