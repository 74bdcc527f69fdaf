"""Name badges on A4: eight on a page, each with a QR code with which its player checks in and sits down."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Final
from urllib.parse import urlsplit

import segno

from croupier.i18n import _
from croupier.networks import in_url, own_networks
from croupier.web.addresses import is_own_machine
from croupier_extras.documents.pdf import INK, LINE, SOFT, Sheet
from croupier_hub.standings import Directed
from croupier_hub.tickets import BADGE_S, Ticket

_COLUMNS: Final = 2
_ROWS: Final = 4
_WIDTH_MM: Final = 89.0
_HEIGHT_MM: Final = 64.0
_CODE_MM: Final = 38.0


def badges_pdf(known: Directed, sign: Callable[[bytes], bytes], hub: str, now: float) -> bytes:
    """Return the badges of all players who have not withdrawn, as PDF. ``sign``: with the director's key; ``hub``: its
    address; ``now``: seconds since 1970.

    Raises:
        CannotWrite: fpdf2 is not installed.
    """
    sheet = Sheet(_("Name badges"))
    address, until = reachable(hub), round(now) + BADGE_S
    for n, name in enumerate(name for name in known.names if known.state(name) != "withdrawn"):
        link = f"{address}/enter/{Ticket('player', name, until).signed(sign)}"
        row, column = divmod(n % (_COLUMNS * _ROWS), _COLUMNS)
        if n and row == column == 0:
            sheet.next_page()
        _add_badge(sheet, sheet.pdf.l_margin + column * _WIDTH_MM, 16 + row * _HEIGHT_MM, name, link)
    sheet.foot()
    return bytes(sheet.pdf.output())


def reachable(url: str) -> str:
    """The address of a hub for phones, without "/" at the end: one of this machine alone becomes that in its
    network."""
    parts = urlsplit(url)
    network = next((one for one in own_networks() if one.is_likely), None)
    if is_own_machine(parts.hostname) and network is not None:
        host = in_url(network.addresses[0])
        parts = parts._replace(netloc=f"{host}:{parts.port}" if parts.port else host)
    return parts.geturl().rstrip("/")


def _add_badge(sheet: Sheet, x: float, y: float, name: str, link: str) -> None:
    pdf = sheet.pdf
    pdf.set_draw_color(*LINE)
    pdf.rect(x, y, _WIDTH_MM, _HEIGHT_MM)
    pdf.set_xy(x + 4, y + 4)
    sheet.write(28, INK, bold=True)
    pdf.cell(_WIDTH_MM - 8, 14, sheet.fitted(name, _WIDTH_MM - 10))
    pdf.set_xy(x + 4, y + 22)
    sheet.write(9, SOFT)
    pdf.multi_cell(
        _WIDTH_MM - _CODE_MM - 12, 4.6, _("Scan to check in, to see your table, and to sit down."), align="L"
    )
    rows = [[*row] for row in segno.make_qr(link, error="m").matrix_iter(border=0)]
    module = _CODE_MM / len(rows)
    left, top = x + _WIDTH_MM - _CODE_MM - 4, y + _HEIGHT_MM - _CODE_MM - 4
    pdf.set_fill_color(0)
    for i, row in enumerate(rows):
        for is_dark, run in groupby(range(len(row)), row.__getitem__):
            if is_dark:
                first, *more = run
                pdf.rect(left + first * module, top + i * module, (1 + len(more)) * module, module, style="F")
