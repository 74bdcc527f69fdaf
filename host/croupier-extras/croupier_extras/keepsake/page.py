"""The page of an evening: one HTML file that opens anywhere, without a network and without scripts.

Podium, rounds, chart and the story in words, in the present language; light or dark as the reader's device is. Fonts
and styles are inside. It has no card but those that lay on the pile for all to see, and of the hands only the points.
"""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Final

from babel.dates import format_date
from markupsafe import Markup

from croupier.game_views.geometry import score_chart
from croupier.game_views.view import card_view
from croupier.i18n import language
from croupier.plugins import Document, DrawnGame
from croupier.web.pages import STATIC, content_hash, embedded_style, environment, fonts
from croupier_extras.keepsake.evening import Evening

_HERE: Final = Path(__file__).parent
_SCRIPTS: Final = {"latin-ext": ("\u0100", "\u024f"), "greek": ("\u0370", "\u03ff")}
"""The first and the last letter of what the fonts have beside Latin-1."""


def evening_page(game: DrawnGame) -> bytes:
    """The page of a game's evening.

    Raises:
        BadLog: no round was counted yet.
    """
    evening = Evening.of(game)
    story, now = evening.story, evening.story.at(None)
    style = _style(evening)
    cards = {}
    for one in evening.best:
        if (top := one.moment.position["top"]) is not None:
            cards[one.moment.n] = card_view(top, story)
    page = (
        environment(_HERE / "templates")
        .get_template("evening.html")
        .render(
            evening=evening,
            story=story,
            day="" if evening.day is None else format_date(evening.day, "long", locale=language()),
            chart=score_chart(story, now, evening.marks),
            totals=evening.rounds[-1].totals,
            cards=cards,
            icon=b64encode((STATIC / "icon.svg").read_bytes()).decode(),
            style=Markup(style),
            policy=f"default-src 'none'; style-src {content_hash(style)}; img-src data:; font-src data:; "
            "base-uri 'none'; form-action 'none'",
        )
    )
    return page.encode()


def _style(evening: Evening) -> str:
    """The style of the table's pages, with the fonts that the names and the present language need."""
    named = "".join(evening.story.header.seats)
    needed = {*fonts()}
    for script, (first, last) in _SCRIPTS.items():
        if any(first <= letter <= last for letter in named):
            needed |= {f"sans-{script}", f"serif-{script}"}
    return embedded_style(sorted(needed), (_HERE / "templates/evening.css").read_text(encoding="utf-8"))


DOCUMENT: Final = Document("text/html; charset=utf-8", evening_page)
