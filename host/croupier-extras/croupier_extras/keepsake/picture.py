"""The picture of an evening (PNG): podium, points of the rounds, the evening's moment, names and day.

It stands upright on a phone and is an SVG (``templates/evening.svg``) with the cards of the page. It shows cards only
as they lay on the pile for all to see, and no picture of a camera.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Final

from babel.dates import format_date

from croupier.game_views.podium import Standing
from croupier.game_views.rounds import FinishedRound
from croupier.game_views.view import Card, card_view
from croupier.i18n import _, language
from croupier.plugins import Document, DrawnGame
from croupier_extras.documents.drawing import IN_FONT, drawing, legible, lines, needs_package, png, wrapped
from croupier_extras.keepsake.evening import Evening

SIZE: Final = (1080, 1350)
"""Upright, as messengers show a picture without cutting it (px)."""

_LEFT, _RIGHT = 70, 1010
_WIDTH: Final = _RIGHT - _LEFT
_BLOCKS: Final = {1: 300, 2: 210, 3: 130}
"""Height of the steps of the podium by place (px)."""
_MOST_STEPS: Final = 5
_MOST_ROWS: Final = 6
"""Of rounds; earlier ones are added up in one row."""
_ROW_PX: Final = 40


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the podium in the middle of a column at ``x``."""

    place: int
    name: str
    points: int
    x: float
    height: int
    account: int


def evening_picture(game: DrawnGame) -> bytes:
    """The picture of a game's evening.

    Raises:
        BadLog: no round was counted yet. CannotWrite: resvg or fontTools is not installed.
    """
    evening = Evening.of(game)
    try:
        return png(evening_svg(evening))
    except ModuleNotFoundError as missing:
        raise needs_package(missing) from missing


def evening_svg(evening: Evening) -> str:
    """The same before it is rasterized."""
    shown = _Names(evening)
    day = "" if evening.day is None else format_date(evening.day, "long", locale=language())
    headline = [*lines(shown(evening.headline), 118, 58, 2, _WIDTH)]
    steps, rest = steps_of(evening.podium, shown)
    listed = " · ".join(f"{one.place}. {shown(one.name)} {one.points}" for one in rest)
    below = [*lines(listed, 706, 27, 2, _WIDTH)] if listed else []
    top = (below[-1].y if below else 690) + 26
    accounts = [shown(name) for name in evening.story.accounts]
    step = (_WIDTH - 120) / len(accounts)
    px = min(25, max(13, round(step / 5)))
    best = evening.best[0] if evening.best else None
    card = _card(evening)
    aside = 150 if card else 0
    said = [] if best is None else [*lines(shown(best.text), 1186, 27, 3, _WIDTH - 60 - aside)]
    return drawing("evening.svg", Path(__file__).parent).render(
        size=SIZE,
        left=_LEFT,
        width=_WIDTH,
        label=" · ".join(filter(None, (_("SIMULATION") if evening.story.is_simulation else _("Croupier"), day))),
        headline=headline,
        steps=steps,
        signs=[[replace(one, letter=legible(one.letter)) for one in signs] for signs in evening.signs],
        step_px=_WIDTH / max(3, len(steps)),
        below=below,
        top=top,
        row=_ROW_PX,
        column=step,
        px=px,
        names=[wrapped(name, step - 12, px, 1)[0] for name in accounts],
        rows=[*_rows(evening.rounds, len(accounts))],
        totals=evening.rounds[-1].totals,
        title="" if best is None else best.title,
        said=said,
        said_left=_LEFT + 30 + aside,
        card=card,
    )


class _Names:
    """Texts with the letters that the font has; a name without any of them becomes that of a seat."""

    def __init__(self, evening: Evening) -> None:
        names = dict.fromkeys((*evening.story.header.seats, *(n for one in evening.rounds for n in one.names)))
        seats = {name: seat for one in evening.rounds for seat, name in enumerate(one.names)}
        self._instead = {
            name: legible(name) or _("Player {n}", n=seats.get(name, 0) + 1)
            for name in sorted(names, key=len, reverse=True)
        }

    def __call__(self, text: str) -> str:
        for name, instead in self._instead.items():
            text = text.replace(name, instead)
        return legible(text)


def steps_of(podium: Sequence[Standing], shown: Callable[[str], str]) -> tuple[list[Step], Sequence[Standing]]:
    """The steps of the podium from left to right, the first place in the middle, and who stands on none. Who shares a
    place stands as high; where not all of a place find room, none of them has a step."""
    on: list[Standing] = []
    for place, shared in groupby(podium, key=lambda one: one.place):
        if place > len(_BLOCKS) or len(on) + len(same := [*shared]) > _MOST_STEPS:
            break
        on += same
    column = _WIDTH / max(3, len(on))
    order = [*on[1::2][::-1], *on[::2]]  # the second to the left, the third to the right, and so on outward
    begin = _LEFT + (_WIDTH - column * len(order)) / 2
    steps = [
        Step(
            one.place, wrapped(shown(one.name), column - 18, 32, 1)[0], one.points,
            round(begin + column * (i + 0.5), 1), _BLOCKS[one.place], one.account,
        )
        for i, one in enumerate(order)
    ]  # fmt: skip
    return steps, podium[len(on) :]


def _rows(rounds: Sequence[FinishedRound], accounts: int) -> Iterator[tuple[str, list[str]]]:
    """The rows of the table: a round's number, and the points of each account."""
    early = rounds[: -(_MOST_ROWS - 1)] if len(rounds) > _MOST_ROWS else ()
    if early:
        sums = [str(sum(one.points.get(account, 0) for one in early)) for account in range(accounts)]
        yield f"{early[0].round}–{early[-1].round}", sums
    for one in rounds[len(early) :]:
        yield str(one.round), [str(one.points.get(account, "–")) for account in range(accounts)]


def _card(evening: Evening) -> Card | None:
    """The up-card of the evening's moment, where there was one."""
    if not evening.best or (top := evening.best[0].moment.position["top"]) is None:
        return None
    card = card_view(top, evening.story)
    return replace(card, sign=card.sign.translate(IN_FONT))


DOCUMENT: Final = Document("image/png", evening_picture)
