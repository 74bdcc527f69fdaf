"""A game as a page that stands alone: one file, which needs no network and no server, to be kept or sent to somebody.

It is drawn by the site's own templates. Most of the page is the same from one moment to the next, so each of its
regions (`following`) is kept once for every way it ever looked, with the moments from which on it looks so.
"""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64encode
from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any, Final

from babel.dates import format_date
from markupsafe import Markup

from croupier.i18n import language
from croupier.web.accounts import SPECTATOR
from croupier.web.event_stream import REGION
from croupier.web.pages import STATIC, Look, Pages
from croupier.web.story import Story

_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)


def page_alone(story: Story, began: datetime | None = None) -> str:
    """The page of a game as far as it is told, in the language that is spoken; no face of a hidden hand is in it."""
    pages = Pages(None, is_alone=True)
    look = Look("table", 0, SPECTATOR, language=language())
    style = _COMMENT.sub("", (STATIC / "page.css").read_text(encoding="utf-8"))
    script = (STATIC / "alone.js").read_text(encoding="utf-8")
    icon = (STATIC / "icon.svg").read_bytes()
    return pages.page(
        "alone",
        story=story,
        last=len(story),
        rounds=story.at(None).round,
        began="" if began is None else format_date(began, "long", locale=language()),
        part=pages.moment(look, story, len(story)),
        style=Markup(style),
        script=Markup(script),
        icon=b64encode(icon).decode(),
        policy=f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:; "
        "base-uri 'none'; form-action 'none'",
        game=b64encode(gzip.compress(json.dumps(_moments(pages, look, story)).encode(), mtime=0)).decode(),
    )


def _hash(text: str) -> str:
    """What a Content-Security-Policy knows an inline text by."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _moments(pages: Pages, look: Look, story: Story) -> Mapping[str, Any]:
    """For the page's script: ``t`` and ``round`` of each moment; ``looks``, every way a region looked; ``regions``: by
    name the moments from which on a region looks otherwise, each with the number of its look."""
    looks: dict[str, int] = {}
    regions: dict[str, list[tuple[int, int]]] = {}
    for moment in story.moments:
        for name, html in REGION.findall(pages.moment(look, story, moment.n)):
            number = looks.setdefault(html, len(looks))
            changes = regions.setdefault(name, [])
            if not changes or changes[-1][1] != number:
                changes.append((moment.n, number))
    return {
        "t": [moment.t for moment in story.moments],
        "round": [moment.round for moment in story.moments],
        "looks": list(looks),
        "regions": regions,
    }
