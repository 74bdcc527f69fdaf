"""The templates, filled in. What many look at is drawn once."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from babel.dates import format_datetime
from babel.numbers import format_decimal
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from croupier.alarms import problem_text
from croupier.cards import DECKS, SHAPES
from croupier.errors import CroupierError
from croupier.i18n import LANGUAGES, _, language, localize, marked, ngettext, speaking
from croupier.web.accounts import Person
from croupier.web.addresses import Reach
from croupier.web.advice import advice
from croupier.web.chart import chart
from croupier.web.desk import Desk, DeskState
from croupier.web.story import Story
from croupier.web.tasks import Tasks
from croupier.web.view import card, faces_of, seen

Kind = Literal["table", "board", "seat"]
"""The table with everything beside it; to be read from across the room; for the phone of one seat."""

_HERE: Final = Path(__file__).parent
STATIC: Final = _HERE / "static"
_KEPT: Final = 128
_COLORS: Final = (marked("red"), marked("yellow"), marked("green"), marked("blue"))


@dataclass(frozen=True, slots=True)
class Look:
    """One way to look at a game. Whoever has the same is shown the same."""

    kind: Kind
    game: int
    person: Person
    seat: int | None = None
    language: str = "en"


class Pages:
    """Draws pages.

    ``desk``: the table that is played at, if there is one; ``reach``: how phones reach the site; ``is_alone``: there is
    no site to lead to; ``is_set_up``: the table is set up on this site.
    """

    def __init__(
        self,
        desk: Desk | None,
        reach: Reach | None = None,
        *,
        is_alone: bool = False,
        is_set_up: bool = False,
    ) -> None:
        self._desk = desk
        self._environment = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.globals.update(
            _=_,
            ngettext=ngettext,
            language=language,
            languages=LANGUAGES,
            shapes={color: SHAPES[color] for color in _COLORS},
            reach=reach,
            is_alone=is_alone,
            is_set_up=is_set_up,
        )
        self._environment.filters.update(clock=_clock, day=_day, seconds=_seconds, told=_told)
        self._drawn: OrderedDict[object, str] = OrderedDict()

    def page(self, name: str, **said: Any) -> str:
        """The whole page ``name``."""
        is_simulation = self._is_simulation(said.get("game"), said.get("story"))
        return self._environment.get_template(f"{name}.html").render(is_simulation=is_simulation, **said)

    def moment(self, look: Look, story: Story, n: int | None) -> str:
        """The part of a page that changes as the game goes on, after ``n`` observations (``None``: as it is now)."""
        is_live = self._desk is not None and self._desk.game == look.game and n is None
        table = DeskState.by(self._desk) if self._desk is not None and is_live else None
        key = (look, len(story) if n is None else n, n is None and len(story), table)
        if (drawn := self._drawn.get(key)) is not None:
            self._drawn.move_to_end(key)
            return drawn
        with speaking(look.language):
            drawn = self._draw(look, story, n, table)
        self._drawn[key] = drawn
        while len(self._drawn) > _KEPT:
            self._drawn.popitem(last=False)
        return drawn

    def _is_simulation(self, game: int | None, story: Story | None) -> bool:
        """Whether what is shown is not real: the log says so, or the table at which it is played."""
        is_here = self._desk is not None and self._desk.is_simulation and game in (None, self._desk.game)
        return is_here or (story is not None and story.is_simulation)

    def _draw(self, look: Look, story: Story, n: int | None, table: DeskState | None) -> str:
        candidates = table.candidates if table is not None else ()
        view = seen(story, n)
        return self._environment.get_template(f"parts/{look.kind}.html").render(
            game=look.game,
            is_simulation=self._is_simulation(look.game, story),
            view=view,
            chart=chart(story, view.moment) if look.kind != "seat" else None,
            rounds=story.scores_at(view.moment),
            accounts=story.accounts,
            person=look.person,
            seat=None if look.seat is None else view.seats[look.seat],
            is_live=table is not None,
            table=table,
            loudness=table.loudness if table is not None else None,
            troubles=[problem_text(*trouble) for trouble in table.troubles] if table is not None else [],
            advice=advice(story, view.moment, table) if table is not None else "",
            candidates=[card(face, story) for face in candidates],
            faces=[card(face, story) for face in DECKS[story.header.ruleset.deck]],
            face_names=faces_of(story),
            tasks=Tasks.of(story, look.person, candidates) if table is not None else None,
        )


def _clock(t: float) -> str:
    """Seconds on the table's clock as minutes and seconds."""
    return f"{int(t) // 60}:{int(t) % 60:02}"


def _seconds(s: float) -> str:
    return format_decimal(s, "0.0", locale=language())


def _told(err: CroupierError) -> str:
    return " ".join(localize(err))


def _day(seconds: float) -> str:
    return format_datetime(datetime.fromtimestamp(seconds, UTC).astimezone(), "short", locale=language())
