"""What surrounds the table: its page, its voice."""

from __future__ import annotations

import shutil
import socket
from typing import Final

from croupier.app.doctor.examined import Examined
from croupier.app.doctor.finding import Finding, absent, ok, warning, wrong

LOCAL: Final = ("127.0.0.1", "localhost", "::1")


def page_port(table: Examined) -> Finding:
    """Can the page listen where it should?"""
    page = table.config.page
    if not page.on:
        return absent("This table has no page.")
    family = socket.AF_INET6 if ":" in page.address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((page.address, page.port or 0))
        except OSError as err:
            remedy = "is the table already running? Else another program has it: choose another port in [page]"
            return warning(f"Port {page.port} at {page.address} cannot be had: {err.strerror}.", remedy)
    where = f"port {page.port}" if page.port else "a free port"
    return ok(f"The page can have {where} at {page.address}.")


def page_reach(table: Examined) -> Finding:
    """Can phones reach the page?"""
    page = table.config.page
    if not page.on:
        return absent("This table has no page.")
    if page.address in LOCAL:
        told = "The page can be seen on this machine alone."
        if page.name:
            remedy = 'set address = "0.0.0.0" in [page], or leave its name out'
            return warning(f"{told} Its name, {page.name}.local, is announced to nobody.", remedy)
        return ok(told)
    return ok("The page is open to your network." + (f" Its name is {page.name}.local." if page.name else ""))


def voice_engine(table: Examined) -> Finding:
    """Is there a voice?"""
    if not getattr(table.config.voice, "on", False):
        return absent("This table does not speak.")
    if shutil.which("espeak-ng") is None:
        return wrong("There is no espeak-ng.", "sudo apt install espeak-ng")
    return ok("espeak-ng is there.")
