"""Cameras in the network, in this process: an app of a phone that serves MJPEG over HTTP, and an RTSP server."""

from __future__ import annotations

import base64
import re
import socket
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any, Self

import cv2
import numpy as np

SIZE = (320, 240)
GRAYS = tuple(range(10, 250, 10))


def gray_jpeg(gray: int) -> bytes:
    """A picture of one gray."""
    return bytes(cv2.imencode(".jpg", np.full((SIZE[1], SIZE[0], 3), gray, np.uint8))[1])


PAGES = {
    "/greet.html": ("text/html", b"<html><title>Phone &amp; camera</title><h1>phone</h1>"),
    "/login": ("text/html; charset=utf-8", b"<html><TITLE>Welcome to\x1b[31m the hotel</TITLE>"),
    "/photo.jpg": ("image/jpeg", gray_jpeg(80)),
    "/film.mp4": ("video/mp4", b"\0\0\0\x18ftypmp42"),
}
"""What is no stream: type and content, by path."""


class PhoneApp:
    """Serves MJPEG at ``/video`` and its page elsewhere, as the apps do. ``password``: of the user ann; "" for none.

    ``has_lengths``: each part has a Content-Length; ``newline``: ends the lines of its head. A frame is sent when the
    test calls `send`; the server waits otherwise. `drop` ends all streams. ``listener``: the socket at which it serves,
    by default one of this machine.
    """

    def __init__(
        self, *, port: int = 0, password: str = "", has_lengths: bool = True, dashes: str = "", newline: str = "\r\n",
        listener: socket.socket | None = None,
    ) -> None:  # fmt: skip
        self._streams: list[BaseHTTPRequestHandler] = []
        self.has_stream, self._over = Event(), Event()
        app = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                key = base64.b64encode(f"ann:{password}".encode()).decode()
                if password and self.headers.get("Authorization") != f"Basic {key}":
                    self.send_response(401)
                    self.send_header("WWW-Authenticate", 'Basic realm="phone"')
                    self.end_headers()
                elif self.path == "/video":
                    self.send_response(200)
                    self.send_header("Content-Type", f"multipart/x-mixed-replace; boundary={dashes}frame")
                    self.end_headers()
                    app._streams.append(self)
                    app.has_stream.set()
                    app._over.wait()
                elif self.path in PAGES:
                    kind, content = PAGES[self.path]
                    self.send_response(200)
                    self.send_header("Content-Type", kind)
                    self.end_headers()
                    self.wfile.write(content)
                elif self.path == "/elsewhere":
                    self.send_response(302)
                    self.send_header("Location", "/login")
                    self.end_headers()
                else:
                    self.send_error(404)

            def log_message(self, *_: Any) -> None:
                pass

        self._has_lengths, self._newline = has_lengths, newline
        listener = listener or socket.create_server(("127.0.0.1", port))
        self._server = ThreadingHTTPServer(listener.getsockname()[:2], Handler, bind_and_activate=False)
        self._server.socket.close()
        self._server.socket, self._server.server_port = listener, listener.getsockname()[1]
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self._thread = Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def url(self, path: str = "/video", user: str = "") -> str:
        """Its address."""
        return f"http://{user}127.0.0.1:{self.port}{path}"

    def send(self, *pictures: bytes) -> None:
        """Send parts to the newest stream, in one piece."""
        parts, end = b"", self._newline
        for picture in pictures:
            length = f"Content-Length: {len(picture)}{end}" if self._has_lengths else ""
            parts += f"--frame{end}Content-Type: image/jpeg{end}{length}{end}".encode() + picture + end.encode()
        self._streams[-1].wfile.write(parts if self._has_lengths else parts + f"--frame{end}".encode())

    def write(self, data: bytes) -> None:
        """Send anything to the newest stream."""
        self._streams[-1].wfile.write(data)

    def drop(self) -> None:
        """End every stream, as an app that is closed; it can be opened again."""
        self.has_stream.clear()
        self._over.set()
        self._over = Event()

    def close(self) -> None:
        """End the app."""
        self._over.set()
        self._server.shutdown()
        self._server.server_close()


class LineServer:
    """Answers whatever arrives with one line, as a server of another protocol; "" for silence."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _serve(self) -> None:
        kept = []
        while True:
            try:
                client, _ = self._listener.accept()
                client.recv(4096)
                client.sendall(self._line.encode())
            except OSError:
                return
            kept.append(client)
            if self._line:
                client.close()


class RtspServer:
    """Serves a film of `GRAYS` over RTSP, interleaved in its TCP connection (RFC 2326, 10.12), as MPEG-TS in RTP (RFC
    2250). It ends when the film is over, and serves the next client from the start."""

    def __init__(self, folder: Path, *, password: str = "") -> None:
        film = folder / "film.ts"
        writer = cv2.VideoWriter(str(film), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*"mp4v"), 25.0, SIZE)
        for gray in GRAYS:
            writer.write(np.full((SIZE[1], SIZE[0], 3), gray, np.uint8))
        writer.release()
        self._film, self._password = film.read_bytes(), password
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def url(self, user: str = "") -> str:
        """Its address."""
        return f"rtsp://{user}127.0.0.1:{self.port}/table"

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            with client:
                try:
                    self._talk(client)
                except OSError:
                    continue

    def _talk(self, client: socket.socket) -> None:
        requests = client.makefile("rb")
        key = base64.b64encode(f"ann:{self._password}".encode()).decode()
        answers: dict[str, Callable[[str], tuple[str, str]]] = {
            "OPTIONS": lambda head: ("Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN\r\n", ""),
            "DESCRIBE": lambda head: (
                "Content-Type: application/sdp\r\n",
                "v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=table\r\nt=0 0\r\nm=video 0 RTP/AVP 33\r\na=control:video\r\n",
            ),
            "SETUP": lambda head: ("Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\nSession: 1\r\n", ""),
            "PLAY": lambda head: ("Session: 1\r\n", ""),
        }
        while line := requests.readline().decode():
            head = line
            while (more := requests.readline().decode()).strip():
                head += more
            method, number = line.split()[0], re.search(r"(?i)cseq: *(\d+)", head)
            assert number is not None
            if method not in answers:
                return
            if self._password and method != "OPTIONS" and f"Basic {key}" not in head:
                status, (lines, body) = "401 Unauthorized", ('WWW-Authenticate: Basic realm="camera"\r\n', "")
            else:
                status, (lines, body) = "200 OK", answers[method](head)
            length = f"Content-Length: {len(body)}\r\n"
            client.sendall(f"RTSP/1.0 {status}\r\nCSeq: {number[1]}\r\n{lines}{length}\r\n{body}".encode())
            if method == "PLAY":
                for n, at in enumerate(range(0, len(self._film), 7 * 188)):
                    piece = self._film[at : at + 7 * 188]
                    rtp = bytes([0x80, 33]) + n.to_bytes(2) + (3600 * n).to_bytes(4) + (1).to_bytes(4) + piece
                    client.sendall(b"$\0" + len(rtp).to_bytes(2) + rtp)
                return
