"""`croupier host` finds the buttons kit by itself: a Pico on USB with this program's firmware, for buttons and ring.

A table whose file says what its buttons or its ring are connected to is left as it is. A new kit is written into the
file once, and its buttons can be tested at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

from croupier.config import change, load
from croupier.config.model import layout, uses_pico
from croupier.errors import PortNotFound
from croupier.i18n import _
from croupier.link.conversation import Greeted, Mismatch
from croupier.link.link import Link, PortFinder
from croupier.link.seen import Board
from croupier_extras.button_test import ButtonTest, guide

ANSWER_S: Final = 3.0
"""Wait for the greeting of a Pico: twice what it takes to start."""


def find_buttons(
    path: Path,
    ask: Callable[[str], str] | None,
    *,
    boards: Callable[[], Iterable[Board]] = lambda: PortFinder().boards(),
    patience_s: float = ANSWER_S,
    show: Callable[[str], None] = print,
) -> None:
    """Look for the kit, write it into the table's file ``path``, and offer the guided test.

    ``ask``: asks in the terminal; None if nobody sits there. ``boards``: the Picos on USB.

    Raises:
        CroupierError: the file is invalid, or cannot be written.
    """
    config = load(path)
    is_settled = any("kind" in part.model_fields_set for part in (config.buttons, config.ring))
    if is_settled or uses_pico(config):
        return
    found = list(boards())
    for board in found:
        try:
            with Link(board.path) as line:
                if why := _trouble(line, patience_s):
                    show(_("{board} is no buttons kit yet: {why}", board=str(board), why=why))
                    continue
                options: dict[tuple[str, ...], str] = {("buttons", "kind"): "pico", ("ring", "kind"): "pico"}
                if len(found) > 1:
                    options["pico", "port"] = board.source
                config = change(path, options)
                show(
                    _("Found the Pico for buttons and ring: {board}. It is now in {path}.", board=str(board), path=path)
                )
                _offer_test(line, layout(config).seats, ask, show)
                return
        except PortNotFound as err:
            show(str(err))


def _trouble(line: Link, patience_s: float) -> str:
    """Return why the Pico at the ``line`` cannot be used, in one line; "" if it runs this program's firmware."""
    until = time.monotonic() + patience_s
    while (left := until - time.monotonic()) > 0:
        for event in line.wait(left):
            if isinstance(event, Mismatch):
                return str(event.error)
            if isinstance(event, Greeted):
                return ""
    return line.seen()


def _offer_test(line: Link, seats: int, ask: Callable[[str], str] | None, show: Callable[[str], None]) -> None:
    if ask is None or ask(_("Test the buttons now? (Enter: yes; anything else: later)") + " "):
        show(_("Each button can be tested one after the other: croupier link buttons --seats {n}", n=seats))
    else:
        guide(ButtonTest(line, time.monotonic), seats, show)
