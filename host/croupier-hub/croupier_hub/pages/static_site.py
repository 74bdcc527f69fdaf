"""The results of a tournament as files, for a web server that knows nothing of Croupier."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from croupier.files import put, unwritten
from croupier.i18n import LANGUAGES, language, speaking
from croupier.web.pages import STATIC
from croupier_hub.pages.render import HUB_STATIC, Renderer
from croupier_hub.pages.tournament import Tournament
from croupier_hub.standings import Directed

_STYLES: Final = {
    "static/page.css": STATIC,
    "static/dark.css": STATIC,
    "static/icon.svg": STATIC,
    "hub/hub.css": HUB_STATIC,
}


def write_site(results: dict[str, Any], folder: Path) -> int:
    """Write a page in each language, of which ``index.html`` is in the present one, and ``results.json``.

    Each file is there whole at any time, so that a web server may serve the folder meanwhile. Returns the number of
    files.

    Raises:
        CannotWrite: the folder cannot be written.
    """
    render, tournament = Renderer(), Tournament(results, Directed())
    pages = dict[str, bytes]()
    for code in LANGUAGES:
        with speaking(code):
            pages[f"{code}.html"] = render.text(
                "tournament", is_static=True, tournament=tournament, left_s=None
            ).encode()
    files = {f"static/fonts/{file.name}": file.read_bytes() for file in sorted((STATIC / "fonts").glob("*.woff2"))}
    files |= {name: (place / Path(name).name).read_bytes() for name, place in _STYLES.items()}
    files["static/page.css"] = files["static/page.css"].replace(b"url(/static/", b"url(")
    files |= pages | {
        "index.html": pages[f"{language()}.html"],
        "results.json": json.dumps(results, ensure_ascii=False).encode(),
    }
    for name, content in files.items():
        try:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
        except OSError as err:
            raise unwritten(folder, err) from err
        put(folder / name, content)
    return len(files)
