"""Cameras at a network address: MJPEG over HTTP, as the camera apps of phones serve it, and RTSP.

MJPEG is a response of type multipart/x-mixed-replace that never ends; each part is a JPEG picture. It is read here, not
by FFmpeg, which delays it by seconds. RTSP (RFC 2326) is read by OpenCV with FFmpeg.
"""

from __future__ import annotations

import html
import os
import re
import select
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import closing
from http.client import BadStatusLine, HTTPException, HTTPResponse, RemoteDisconnected
from typing import Final
from urllib.error import HTTPError, URLError
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import (
    HTTPBasicAuthHandler,
    HTTPDigestAuthHandler,
    HTTPPasswordMgrWithDefaultRealm,
    ProxyHandler,
    build_opener,
)

import cv2
import numpy as np

from cardsight.errors import NoCamera, NoFrame
from cardsight.headers import stated_size
from cardsight.opencv_log import SILENT, set_log_level
from cardsight.sources.cameras import FPS
from cardsight.sources.frames import Clock, Frame
from cardsight.sources.picture import MAX_MEGAPIXELS, Picture
from croupier_rules.foreign_text import first_line

_RTSP_PORT: Final = 554

USUAL_PATH: Final = "/video"
"""Path at which the apps IP Webcam and DroidCam serve MJPEG, for an address without a path."""

LATENCY_S: Final = 0.4
"""The longest time from exposure to arrival without a stall: the phone's encoder, WLAN, and one frame."""

SILENT_S: Final = 5.0
"""Time without data after which the camera is gone."""

_MOST_BYTES: Final = 16_000_000
"""Limit of one part of a stream."""
_READ_BYTES: Final = 1 << 16
_LOOKED_BYTES: Final = 4096
"""Bytes of an answer that is no stream, in which it is looked what it is."""

_HEAD_END: Final = re.compile(rb"\r?\n\r?\n")
"""Lines should end with CRLF (RFC 2046, 4.1.1); small cameras send LF."""
_LENGTH: Final = re.compile(rb"(?im)^content-length:[ \t]*(\d{1,9})[ \t]*\r?$")
_TITLE: Final = re.compile(r"(?is)<title[^>]*>(.*?)</title>")

# FFmpeg would print errors of a stream on standard error, beside the one line that is reported here.
os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")


class NetworkCamera:
    """A camera at ``url``, such as ``http://192.168.1.20:8080/video`` or ``rtsp://camera.local/stream``. It may have
    user and password: ``http://USER:PASSWORD@HOST/``; no message shows them.

    Streams have no time of exposure: ``t`` ± ``u`` is the time before the arrival in which the frame was taken. After a
    stall ``u`` covers the stall, since frames may have waited for as long.

    Raises:
        NoCamera: nothing answers there, or no stream of pictures.
    """

    def __init__(
        self, url: str, *, fps: float = FPS, clock: Clock = time.monotonic, silent_s: float = SILENT_S
    ) -> None:  # fmt: skip
        place = urlsplit(url)
        self._name, self._frame_s, self._clock = f"camera {public_address(place)}", 1 / fps, clock
        self._stream: _Stream | None = (_RtspStream if place.scheme == "rtsp" else _MjpegStream)(
            place, self._name, silent_s
        )
        self._arrived, self._late_s = clock(), LATENCY_S

    def frame(self) -> Frame:
        """Wait for the newest frame, stamped by its arrival. Raises `NoCamera` when the stream ends, `NoFrame` after
        `close`."""
        if self._stream is None:
            raise NoFrame(f"{self._name}: is closed")
        image = self._stream.picture()
        if image is None:
            raise NoCamera(
                f"{self._name}: its stream has ended; is the app running, the phone awake, and in this network?"
            )
        before, self._arrived = self._arrived, self._clock()
        # Each frame of a backlog shortens it by a frame.
        self._late_s = max(LATENCY_S, self._arrived - before, self._late_s - self._frame_s)
        return Frame(self._arrived - self._late_s / 2, image, self._late_s / 2)

    def now(self) -> float:
        """Return the time of the clock (s)."""
        return self._clock()

    def close(self) -> None:
        """Close the connection."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None


def public_address(place: SplitResult) -> str:
    """Return an address without user, password and query, for messages."""
    host = place.netloc.rpartition("@")[2]
    return f"{place.scheme}://{host}{place.path}"


_EXPECTED: Final = (
    "expected a stream of pictures (MJPEG), such as http://PHONE:8080/video of IP Webcam or "
    "http://PHONE:4747/video of DroidCam"
)


class _Stream:
    """Pictures of a stream. ``name``: for messages."""

    def __init__(self, place: SplitResult, name: str, silent_s: float) -> None:
        """Open the stream. Raises `NoCamera`."""

    def picture(self) -> Picture | None:
        """Wait for the newest picture; None at the end of the stream. Raises `NoCamera`."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the connection."""


class _MjpegStream(_Stream):
    def __init__(self, place: SplitResult, name: str, silent_s: float) -> None:
        self._name, self._silent_s = name, silent_s
        self._response = self._opened(place)
        boundary = self._response.headers.get_param("boundary")
        if self._response.headers.get_content_type() != "multipart/x-mixed-replace" or not isinstance(boundary, str):
            with closing(self._response):
                raise self._no_stream(self._response)
        # Some apps name the boundary with the dashes of its delimiter.
        self._delimiter = b"--" + boundary.strip('"').lstrip("-").encode()
        self._received = b""

    def _opened(self, place: SplitResult) -> HTTPResponse:
        url = place._replace(
            netloc=place.netloc.rpartition("@")[2],
            path=place.path if place.path.strip("/") or place.query else USUAL_PATH,
            fragment="",
        ).geturl()
        self._asked = urlsplit(url)
        keys = HTTPPasswordMgrWithDefaultRealm()
        keys.add_password(None, url, unquote(place.username or ""), unquote(place.password or ""))
        opener = build_opener(ProxyHandler({}), HTTPBasicAuthHandler(keys), HTTPDigestAuthHandler(keys))
        try:
            response = opener.open(url, timeout=self._silent_s)
        except HTTPError as err:
            err.close()
            if err.code in (401, 403):
                raise NoCamera(
                    f"{self._name}: asks for a user and a password, or rejects them; expected "
                    f"{place.scheme}://USER:PASSWORD@HOST/…"
                ) from None
            reason = first_line(str(err.reason).partition(" - ")[0])  # behind it urllib names an address
            raise NoCamera(f"{self._name}: answers {err.code} {reason}; expected a stream of pictures") from None
        except RemoteDisconnected as err:
            raise self._silence(err) from None
        except BadStatusLine as err:
            raise self._no_http(str(err), place) from None
        except (URLError, HTTPException, OSError, ValueError) as err:
            raise self._silence(getattr(err, "reason", err)) from None
        assert isinstance(response, HTTPResponse)
        return response

    def _no_stream(self, response: HTTPResponse) -> NoCamera:
        """Describe an answer that is no stream of pictures: a web page by its title and, where the camera forwards to
        it, by its address; one picture; anything else by its type."""
        kind = response.headers.get_content_type()
        if kind.startswith("image/"):
            return NoCamera(f"{self._name}: sends one picture ({kind}), no stream; {_EXPECTED}")
        if kind != "text/html":
            return NoCamera(f"{self._name}: sends {kind}; {_EXPECTED}")
        try:
            page = response.read(_LOOKED_BYTES).decode(errors="replace")
        except (HTTPException, OSError, ValueError):
            page = ""
        found = _TITLE.search(page)
        title = first_line(html.unescape(found[1])) if found else ""
        forwarded = public_address(urlsplit(response.geturl()))
        if forwarded == public_address(self._asked):
            return NoCamera(f'{self._name}: sends a web page, "{title}"; {_EXPECTED}')
        return NoCamera(f'{self._name}: forwards to a web page, "{title}" at {first_line(forwarded)}; {_EXPECTED}')

    def _no_http(self, line: str, place: SplitResult) -> NoCamera:
        """Describe a server that does not speak HTTP, by its first line."""
        if line.startswith("RTSP/"):
            return NoCamera(f"{self._name}: speaks RTSP; expected {public_address(place._replace(scheme='rtsp'))}")
        return NoCamera(f'{self._name}: answers "{first_line(line)}", which is not HTTP; {_EXPECTED}')

    def picture(self) -> Picture | None:
        """Return the last whole picture of all that has arrived, so that none waits here."""
        newest: bytes | None = None
        while newest is None or self._has_more():
            try:
                data = self._response.read1(_READ_BYTES)
            except (HTTPException, OSError, ValueError) as err:
                raise self._silence(err) from None
            self._received += data
            for part in self._parts():
                newest = part
            if len(self._received) > _MOST_BYTES:
                seen = first_line(self._received[:_LOOKED_BYTES])
                raise NoCamera(f'{self._name}: sends no pictures but "{seen}"; {_EXPECTED}')
            if not data:
                break
        if newest is None:
            return None
        size = stated_size(newest)
        if size is None or size[0] * size[1] > MAX_MEGAPIXELS * 10**6:
            raise NoCamera(f"{self._name}: a part of the stream is no JPEG picture")
        image = cv2.imdecode(np.frombuffer(newest, np.uint8), cv2.IMREAD_COLOR)
        if image is None:
            raise NoCamera(f"{self._name}: a picture of the stream is damaged")
        return np.asarray(image, np.uint8)

    def close(self) -> None:
        self._response.close()

    def _has_more(self) -> bool:
        return bool(select.select([self._response], [], [], 0)[0])

    def _parts(self) -> Iterator[bytes]:
        """Take the bodies of all complete parts out of the received bytes."""
        while (begin := self._received.find(self._delimiter)) >= 0:
            if (head := _HEAD_END.search(self._received, begin)) is None:
                return
            body = head.end()
            length = _LENGTH.search(self._received, begin, body)
            end = body + int(length[1]) if length else self._received.find(b"\n" + self._delimiter, body)
            if not body <= end <= len(self._received):
                return
            yield self._received[body:end]
            self._received = self._received[end:]

    def _silence(self, why: object) -> NoCamera:
        if isinstance(why, TimeoutError):
            what = f"no data for {self._silent_s:g} s"
        elif isinstance(why, ssl.SSLError):
            return NoCamera(f"{self._name}: {why.reason}; its certificate is not known here, use its http address")
        else:
            what = getattr(why, "strerror", None) or str(why) or type(why).__name__
        return NoCamera(
            f"{self._name}: does not answer: {what}; is the app running, the phone awake, and in this network?"
        )


class _RtspStream(_Stream):
    def __init__(self, place: SplitResult, name: str, silent_s: float) -> None:
        set_log_level(SILENT)  # faults are reported in one line, below
        os.environ.setdefault("OPENCV_FFMPEG_CAPTURE_OPTIONS", "rtsp_transport;tcp")  # UDP loses parts of pictures
        timeout_ms = round(1000 * silent_s)
        limits = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, timeout_ms, cv2.CAP_PROP_READ_TIMEOUT_MSEC, timeout_ms]
        self._capture = cv2.VideoCapture(place.geturl(), cv2.CAP_FFMPEG, limits)
        if not self._capture.isOpened():
            raise NoCamera(f"{name}: {_seen_at(place, silent_s)}")

    def picture(self) -> Picture | None:
        is_there, image = self._capture.read()
        return np.asarray(image, np.uint8) if is_there else None

    def close(self) -> None:
        self._capture.release()


def _seen_at(place: SplitResult, silent_s: float) -> str:
    """Ask what answers at the address of an RTSP camera that FFmpeg could not open, and describe it."""
    usual = "no stream there, or its user and password are wrong; is the camera on, and in this network?"
    address = public_address(place)
    try:
        with socket.create_connection((place.hostname or "", place.port or _RTSP_PORT), timeout=silent_s) as line:
            line.sendall(f"OPTIONS {address} RTSP/1.0\r\nCSeq: 1\r\n\r\n".encode())
            answer = line.recv(_LOOKED_BYTES)
    except TimeoutError:
        return f"does not answer: no data for {silent_s:g} s; is the camera on, and in this network?"
    except (OSError, ValueError) as err:
        why = getattr(err, "strerror", None) or str(err) or type(err).__name__
        return f"does not answer: {why}; is the camera on, and in this network?"
    if answer.startswith(b"HTTP/"):
        return f"speaks HTTP; expected {public_address(place._replace(scheme='http'))}"
    if answer and not answer.startswith(b"RTSP/"):
        return f"""answers "{first_line(answer)}", which is not RTSP; expected the address of the camera's stream"""
    return usual
