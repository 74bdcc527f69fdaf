"""Rendering of the templates of a tournament."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from fastapi.responses import HTMLResponse

from croupier.i18n import marked
from croupier.web.pages import environment
from croupier_hub.pages.tournament import SCENES
from croupier_hub.results import FORKED, LOST, REASONS, points_text
from croupier_hub.tickets import NOBODY, Ticket

_HERE: Final = Path(__file__).parent
HUB_STATIC: Final = _HERE / "static"

_TITLES: Final = {
    "pairings": marked("Who sits where"), "tables": marked("The tables now"), "standings": marked("Standings")
}  # fmt: skip
_STATES: Final = {"expected": marked("expected"), "here": marked("checked in"), "withdrawn": marked("withdrawn")}


class Renderer:
    """Renders the pages of a tournament in the present language."""

    def __init__(self) -> None:
        self._environment = environment(_HERE / "templates", with_plugins=False)
        self._environment.globals.update(
            titles=_TITLES, scenes=SCENES, reasons=REASONS, forked=FORKED, lost=LOST, states=_STATES
        )
        self._environment.filters.update(minutes=_minutes, points=points_text)

    def html(self, name: str, who: Ticket = NOBODY, status: int = 200, **variables: Any) -> HTMLResponse:
        """The page ``name`` as an answer to somebody with this ticket."""
        return HTMLResponse(self.text(name, who=who, **variables), status)

    def text(self, name: str, *, is_static: bool = False, who: Ticket = NOBODY, **variables: Any) -> str:
        """The page ``name``; with ``is_static`` as a file beside its static ones, without a hub to ask."""
        return self._environment.get_template(f"{name}.html").render(is_static=is_static, who=who, **variables)


def _minutes(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02}"
