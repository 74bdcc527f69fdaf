"""A moment of a game as a picture (PNG) for messengers and other pages: what happened, up-card, seats.

It is an SVG (``templates/moment.svg``) with the cards of the page, in the present language.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from croupier.game_views.story import Moment, Story
from croupier.game_views.view import TableView
from croupier.i18n import _
from croupier.plugins import Document, DrawnGame
from croupier_extras.documents.drawing import ASCENT, IN_FONT, LINE, drawing, lines, needs_package, png, wrapped

SIZE: Final = (1200, 630)
"""As Open Graph asks for (px)."""

_LEFT, _RIGHT, _SAID_END = 380, 1140, 430
"""Begin and end of the text, and the end of the rulings above the seats (px)."""


def moment_picture(game: DrawnGame) -> bytes:
    """The picture of the moment of a game that was asked for.

    Raises:
        CannotWrite: resvg or fontTools is not installed.
    """
    try:
        return png(_moment_svg(game.story, game.moment))
    except ModuleNotFoundError as missing:
        raise needs_package(missing) from missing


def _moment_svg(story: Story, moment: Moment) -> str:
    view, text = TableView(story, moment.n), story.describe(moment)
    headline = [*lines(view.headline, 92, 56, 2, _RIGHT - _LEFT)]
    top = headline[-1].y + 56 * (LINE - ASCENT) + 14
    said = " ".join((text.seen, *(ruling.text for ruling in text.rulings if ruling.name != "turn")))
    step = (SIZE[0] - 100) / len(view.seats)
    px = min(28, round(step / 6))
    return drawing("moment.svg").render(
        seats=view.seats,
        card=view.top and replace(view.top, sign=view.top.sign.translate(IN_FONT)),
        label=_("SIMULATION") if story.is_simulation else _("Croupier"),
        left=_LEFT,
        headline=headline,
        said=[*lines(said, top, 30, int((_SAID_END - top + 14) // 39), _RIGHT - _LEFT)],
        step=step,
        px=px,
        names=[wrapped(seat.name, step - 34, px, 1)[0] for seat in view.seats],
    )


DOCUMENT: Final = Document("image/png", moment_picture)
