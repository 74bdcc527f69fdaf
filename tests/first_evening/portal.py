"""A captive portal: a router that answers all that goes out by HTTP with the way to its own page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Final

from tests.namespaces import Machine, add_address

OUTSIDE: Final = "203.0.113.9"
ROUTER: Final = "192.168.1.1"
"""An address beyond the router (of RFC 5737, as nobody has it), and that of the router of a home."""
TITLE: Final = "Welcome to the Grand Hotel"


class _Portal(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.headers["Host"] == OUTSIDE:
            self.send_response(302)
            self.send_header("Location", f"http://{ROUTER}/login")
            self.end_headers()
            return
        page = f"<!doctype html><title>{TITLE}</title><form>Room number: <input></form>".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def captive_portal(router: Machine) -> Iterator[None]:
    """The portal of a router, which is the way to `OUTSIDE` for all who have it as their gateway."""
    add_address(router, "lo", f"{OUTSIDE}/32")
    server = ThreadingHTTPServer((OUTSIDE, 80), _Portal, bind_and_activate=False)
    server.socket.close()
    server.socket = router.listen("0.0.0.0", 80)
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
