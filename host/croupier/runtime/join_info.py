"""How people find the page of a running table: its address, a code for phones, its name in the network."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from croupier.config import Config
from croupier.i18n import _

if TYPE_CHECKING:
    from croupier.web.serving import WebServer

LIGHT_ON_DARK: Final = "white on black"
"""So that phones read the code, whatever the colors of the terminal."""

Line = Callable[[str, str], None]
"""Says a line in a style."""


class Invitation:
    """Tells where the page is, and announces its name as long as it is up (until `close`). ``with_code``: with the
    code to be photographed."""

    def __init__(self, config: Config, up: WebServer, line: Line, *, with_code: bool) -> None:
        self._open = ExitStack()
        line(_("The page is at {address}", address=up.url), "")
        if up.network_address is None:
            return
        line(_("In your network it is at {address}", address=up.network_address.url), "")
        if with_code:
            for row in up.network_address.qr_lines():
                line(row, LIGHT_ON_DARK)
        if config.page.name:
            self._announce(config.page.name, config.table.name, up.network_address.url, line)

    def close(self) -> None:
        """The name is taken back."""
        self._open.close()

    def _announce(self, name: str, table: str, address: str, line: Line) -> None:
        place = urlsplit(address)
        assert place.hostname is not None
        assert place.port is not None
        try:
            from croupier.web.addresses import MdnsAnnouncement

            announced = self._open.enter_context(MdnsAnnouncement(name, place.port, table, (place.hostname,)))
        except (OSError, ModuleNotFoundError) as err:
            line(_("The name {name}.local could not be announced: {why}", name=name, why=str(err)), "yellow")
        else:
            line(_("and at {address}", address=f"http://{announced.name}.local:{place.port}/"), "")
