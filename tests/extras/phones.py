"""A phone whose browser is the camera, without a browser: it scans the code, and sends what a test says."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any, Self

import httpx
from websockets.sync.client import ClientConnection, connect

from croupier_extras.phone_camera.camera import PhoneCamera
from croupier_extras.phone_camera.feed import Message
from croupier_extras.phone_camera.listener import COOKIE
from tests.patience import PATIENCE_S
from tests.vision.network_cameras import gray_jpeg

AHEAD_S = 1000.0
"""What the phone's clock is ahead of ours."""
PINGS = 3
"""Messages before the first picture; after two the clock is known."""


@contextmanager
def camera_at(folder: Path, *, patience_s: float = PATIENCE_S) -> Iterator[PhoneCamera]:
    """The camera of a table in this folder, reached from this machine alone."""
    camera = PhoneCamera(
        folder / "phone.pem", port=0, host="127.0.0.1", size=(320, 240), fps=15.0, patience_s=patience_s
    )
    try:
        yield camera
    finally:
        camera.close()


def token(camera: PhoneCamera, used: str = "") -> str:
    """The token in the code that is shown, once it is not the one that was ``used``."""

    def shown() -> str:
        return camera.invitation.url.partition("#")[2]

    with camera._changed:
        assert camera._changed.wait_for(lambda: shown() != used, PATIENCE_S)
    return shown()


class Phone:
    """A phone that trusts the camera's certificate."""

    def __init__(self, camera: PhoneCamera, folder: Path, key: str = "") -> None:
        self._secure = ssl.create_default_context(cafile=folder / "phone.pem")
        # The client of the WebSocket reads and writes in two threads. In Python 3.11 one of them can then lose what the
        # other does with the session tickets of TLS 1.3: once in 700 connections the request never left.
        self._secure_line = ssl.create_default_context(cafile=folder / "phone.pem")
        self._secure_line.maximum_version = ssl.TLSVersion.TLSv1_2
        self.url = f"127.0.0.1:{camera.port}"
        self._stack = ExitStack()
        self.client = self._stack.enter_context(
            httpx.Client(base_url=f"https://{self.url}", verify=self._secure, timeout=PATIENCE_S)
        )
        self.line: ClientConnection | None = None
        self._message = Message(False, 0, 0.0, 0.0, 0.0, 0.0, 0.0, b"")
        self.key = key

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: Any, trace: TracebackType | None) -> None:
        self._stack.close()

    def scan(self, code: str) -> int:
        """Come with the token of a code; returns the status of the answer."""
        answer = self.client.post("/join", content=code)
        self.key = answer.cookies.get(COOKIE) or self.key
        self.client.cookies.clear()
        return answer.status_code

    def open(self, **headers: str) -> Self:
        """Open the line, and say enough for the clocks."""
        self.line = self._stack.enter_context(
            connect(
                f"wss://{self.url}/pictures", ssl=self._secure_line, additional_headers={**self._cookie, **headers},
                open_timeout=PATIENCE_S,
            )
        )  # fmt: skip
        return self.ping()

    def ping(self) -> Self:
        """Say enough for the clocks."""
        self._message = replace(self._message, number=0, answered=0.0, received=0.0)
        for _n in range(PINGS):
            self.send()
        return self

    @property
    def _cookie(self) -> dict[str, str]:
        return {"cookie": f"{COOKIE}={self.key}"}

    def send(self, gray: int = 0, *, jpeg: bytes = b"", age_s: float = 0.0, **other: Any) -> float:
        """Send a message, with a picture of this gray if it is given, and take in the answer; returns when the picture
        was taken (s of our clock)."""
        taken = monotonic() - age_s
        sent = monotonic() + AHEAD_S
        jpeg = jpeg or (gray_jpeg(gray) if gray else b"")
        message = replace(self._message, sent=sent, taken=taken + AHEAD_S, jpeg=jpeg, **other)
        answer = self.say(message.pack())
        self._message = replace(
            self._message, number=self._message.number + 1, answered=float(answer), received=monotonic() + AHEAD_S
        )
        return taken

    def say(self, data: bytes) -> str | bytes:
        """Send anything, and return the answer."""
        if self.line is not None:
            self.line.send(data)
            return self.line.recv(timeout=PATIENCE_S)
        answer = self.client.post("/pictures", content=data, headers=self._cookie)
        answer.raise_for_status()
        return answer.text
