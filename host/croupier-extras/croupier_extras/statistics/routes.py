"""The statistics on the page, and as files for spreadsheets and programs.

The process of the page writes nothing: the table keeps the names of players who want no statistics (`keep`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Annotated, Final, Literal, NamedTuple

from babel.dates import format_date
from fastapi import APIRouter, Depends, HTTPException, Response
from fastapi.responses import HTMLResponse, RedirectResponse

from croupier import plugins
from croupier.errors import BadJournal, BadLog, BadMessage, BadName, CannotWrite, NoAnswer
from croupier.game_views import signs
from croupier.game_views.signs import Mark
from croupier.game_views.story import Story
from croupier.i18n import _, language, localize
from croupier.journal import Archive
from croupier.names import find_name
from croupier.web.dependencies import AsAdmin, Client, GamesDep, RendererDep, Who
from croupier.web.forms import Form, OneOf, Posted, Text
from croupier.web.game_repository import GameRepository
from croupier.web.http import attached, provided
from croupier.web.pages import PagePlugin, SitePart
from croupier_extras.statistics.figures import (
    COLUMNS,
    LUCK,
    GameFigures,
    LeftOut,
    PlayerStatistics,
    statistics,
    to_csv,
)
from croupier_extras.statistics.ladder import COLUMNS as LADDER_COLUMNS
from croupier_extras.statistics.ladder import PAIRS, Ladder, ladder, notes, years_of
from croupier_extras.statistics.luck import Luck
from croupier_extras.statistics.people import People, PeopleFile
from croupier_rules.errors import json_object

PLUGIN: Final = "statistics"
"""The name of the plug-in."""

_MOST_GAMES: Final = 500
_LONGEST_NAME: Final = 200
_MOST_HEADERS: Final = 100
"""Of the newest games, in which names are looked for."""
_BEGIN: Final = 6
"""Lines in which a game says that it is a simulation."""


class Statistics(SitePart):
    """State of a site for its statistics."""

    def __init__(self, journal: Path, keep: Callable[[str], None]) -> None:
        self.luck = Luck()
        self.left_out = LeftOut(journal, lambda name, is_out: keep(json.dumps([name, is_out])))
        self.file = PeopleFile(journal, keep)
        self._journal, self._seen = journal, ""
        """The state of the games beside which `known_names` looked last."""
        self._figures: dict[Hashable, GameFigures] = {}
        """Of each game that was asked for last. A game that has grown has another key."""

    def people(self) -> People:
        """The people; nobody where their file is damaged."""
        with suppress(BadLog):
            return self.file.people()
        return People()

    def marks(self) -> Mapping[str, Mark]:
        """The marks of the people who have played."""
        return self.people().marks

    def known_names(self) -> tuple[str, ...]:
        """The people who have played, who came last first. Looks in a thread who is new since the last time."""
        files = (self._journal, self._journal.with_name(f"{self._journal.name}-wal"), self._journal.parent)
        seen = str([file.stat().st_mtime_ns for file in files if file.exists()])
        if seen != self._seen:
            self._seen = seen
            Thread(target=self._add_new, name="people", daemon=True).start()
        return tuple(self.people().offered)

    def _add_new(self) -> None:
        with suppress(BadJournal, BadLog, CannotWrite, NoAnswer):
            self.file.add(_names_of_games(self._journal))

    def figures(self, games: GameRepository) -> list[GameFigures]:
        """The figures of the newest games, the oldest first, without games that cannot be shown."""
        every: list[tuple[float, Hashable, Callable[[], Story]]] = [
            *((game.began, game, partial(games.whole, game)) for game in games.games(_MOST_GAMES)),
            *((game.began, game.key, game.load) for game in games.files()),
        ]
        found: dict[Hashable, GameFigures] = {}
        for began, key, load in sorted(every, key=lambda one: one[0])[-_MOST_GAMES:]:
            with suppress(BadLog, BadJournal):
                found[key] = self._figures.get(key) or GameFigures.of(load(), began)
        self._figures = found
        return [figures for figures in found.values() if figures.players]


def _names_of_games(journal: Path) -> Iterator[str]:
    """The names in the newest games that are no simulations, and on the score sheets, in their order."""
    if journal.exists():
        with Archive(journal) as archive:
            for number in list(archive.began())[-_MOST_HEADERS:]:
                with suppress(BadJournal):
                    lines = [text for _n, text, _hash in archive.hashed_lines(number, end=_BEGIN)]
                    if lines and not any('"simulation"' in line for line in lines[1:]):
                        yield from map(str, json_object(lines[0])["seats"])
    for game in plugins.game_files(journal)[-_MOST_HEADERS:]:
        with suppress(BadLog):
            yield from game.load().header.seats


def keep(journal: Path, text: str) -> None:
    """Leave the player out whom the page names, or take the player in again; or change the people; at the table.

    Raises:
        BadMessage: it is not what `Statistics` sends. CannotWrite: it cannot be kept.
    """
    try:
        name, is_out, *more = json.loads(text)
        if more or not isinstance(is_out, bool):
            PeopleFile(journal).apply(text)
            return
    except (RecursionError, TypeError, ValueError) as err:
        raise BadMessage from err
    if not isinstance(name, str) or len(name) > _LONGEST_NAME or not isinstance(is_out, bool):
        raise BadMessage
    try:
        LeftOut(journal).set(name, is_out=is_out)
    except BadLog as err:
        raise CannotWrite(localize(err)[0]) from err


class _Counted(NamedTuple):
    """``left_out``: the names of whom no statistics are made; ``people``: who is one person."""

    players: list[PlayerStatistics]
    left_out: tuple[str, ...]
    is_simulation: bool
    people: People


class _OwnForm(Form):
    do: Literal["leave-out", "take-in"]


class _PersonForm(Form):
    """What an admin does with the person ``name``; ``new``: the other name."""

    do: Literal["rename", "forget"]
    name: Text
    new: Text = ""


class _SignForm(Form):
    """The sign of the person ``name``: a color and a shape, or what is found by itself."""

    do: Literal["choose", "automatic"]
    name: Text
    color: Annotated[str, OneOf(tuple(signs.COLORS))] | None = None
    shape: Annotated[str, OneOf(tuple(signs.SHAPES))] | None = None


router = APIRouter()
StatisticsDep = Annotated[Statistics, provided(Statistics)]


async def _count(client: Client, games: GamesDep, part: StatisticsDep) -> _Counted:
    """Count the newest games; simulated ones count where all are."""

    def counted(games: GameRepository) -> _Counted:
        figures, names = part.figures(games), _names(part.left_out)
        real = [one for one in figures if not one.is_simulation]
        shown = real or figures
        with suppress(BadLog, CannotWrite, NoAnswer):
            part.file.add(name for one in real for name in one.players)
        people = part.people()
        players = statistics(shown, names, part.luck, wait=False, people=people)
        return _Counted(players, names, bool(figures and not real), people)

    return await games.with_archive(client, counted)


Counted = Annotated[_Counted, Depends(_count)]


def _names(left_out: LeftOut) -> tuple[str, ...]:
    try:
        return left_out.names()
    except BadLog as err:
        raise HTTPException(503, localize(err)[0]) from err


async def _own_name(person: Who, games: GamesDep) -> str | None:
    """The name of the seat of ``person`` at the live table."""
    return None if person.seat is None else dict(enumerate(games.seat_names())).get(person.seat)


OwnName = Annotated[str | None, Depends(_own_name)]


@router.get("/statistics", response_class=HTMLResponse)
async def page(person: Who, counted: Counted, own: OwnName, part: StatisticsDep, render: RendererDep) -> Response:
    """Statistics of the players over the newest games of the journal."""
    is_left_out = own is not None and find_name(own, counted.left_out) is not None
    return render.html(
        f"{PLUGIN}/statistics", person, players=counted.players, columns=(*COLUMNS, LUCK), most=_MOST_GAMES,
        notes=[part.luck.notes()],
        simulated=counted.is_simulation, own_name=own, is_left_out=is_left_out,
        people=counted.people.known if person.may("admin") else (),
        day=lambda evening: format_date(evening, "medium", locale=language()),
    )  # fmt: skip


@router.get("/statistics/ladder", response_class=HTMLResponse)
async def ladder_page(
    person: Who, client: Client, games: GamesDep, part: StatisticsDep, render: RendererDep, year: int | None = None
) -> Response:
    """The family ladder: of ``year``, by default of the newest one with games; 0: of all games."""

    def counted(games: GameRepository) -> tuple[Ladder, bool]:
        figures, left_out, people = part.figures(games), _names(part.left_out), part.people()
        real = [one for one in figures if not one.is_simulation]
        chosen = year if year is not None else next(iter(years_of(real or figures)), 0)
        return ladder(real or figures, chosen or None, left_out, people), bool(figures and not real)

    shown, is_simulation = await games.with_archive(client, counted)
    return render.html(
        f"{PLUGIN}/ladder", person, ladder=shown, columns=LADDER_COLUMNS, pairs=PAIRS, notes=notes(),
        simulated=is_simulation,
    )  # fmt: skip


@router.post("/statistics/own")
async def choose(
    own: OwnName, client: Client, form: Posted[_OwnForm], games: GamesDep, part: StatisticsDep
) -> Response:
    """A player leaves the own name out of the statistics, or takes it in again."""
    if own is None:
        raise HTTPException(403, _("Only who sits at the table can do that, for the own name."))
    try:
        # The table answers, which may take a moment: not in the loop that serves everybody.
        await games.with_archive(client, lambda _games: part.left_out.set(own, is_out=form.do == "leave-out"))
    except (BadLog, CannotWrite) as err:
        raise HTTPException(507, localize(err)[0]) from err
    return RedirectResponse("/statistics", 303)


@router.post("/statistics/people")
async def change_person(
    _person: AsAdmin, client: Client, form: Posted[_PersonForm], games: GamesDep, part: StatisticsDep
) -> Response:
    """An admin gives a person another name, which may be somebody's already, or forgets a person."""

    def change(_games: GameRepository) -> None:
        if form.do == "rename":
            part.file.rename(form.name, form.new)
        else:
            part.file.forget(form.name)

    try:
        await games.with_archive(client, change)
    except BadName as err:
        raise HTTPException(422, localize(err)[0]) from err
    except (BadLog, CannotWrite) as err:
        raise HTTPException(507, localize(err)[0]) from err
    return RedirectResponse("/statistics#people", 303)


@router.get("/statistics/sign", response_class=HTMLResponse)
async def sign_page(
    person: AsAdmin, name: Text, client: Client, games: GamesDep, part: StatisticsDep, render: RendererDep
) -> Response:
    """The choice of a color and a sign for a person."""
    people = await games.with_archive(client, lambda _games: part.people())
    if (one := people.find(name)) is None:
        raise HTTPException(404, _("{name} is not known here.", name=name))
    return render.html(
        f"{PLUGIN}/sign", person, player=one.name, is_chosen=one.mark is not None,
        sign=signs.signs_of([one.name], people.marks)[0], sign_of=lambda color, shape: signs.Sign(
            Mark(color, shape), signs.initial(one.name)
        ), color_names=signs.COLOR_NAMES, shape_names=signs.SHAPE_NAMES,
    )  # fmt: skip


@router.post("/statistics/sign")
async def choose_sign(
    _person: AsAdmin, client: Client, form: Posted[_SignForm], games: GamesDep, part: StatisticsDep
) -> Response:
    """An admin gives a person a color and a sign."""
    mark = None
    if form.do == "choose":
        if form.color is None or form.shape is None:
            raise HTTPException(422, _("Choose a color and a shape."))
        mark = Mark(form.color, form.shape)
    try:
        await games.with_archive(client, lambda _games: part.file.mark(form.name, mark))
    except BadName as err:
        raise HTTPException(422, localize(err)[0]) from err
    except (BadLog, CannotWrite) as err:
        raise HTTPException(507, localize(err)[0]) from err
    return RedirectResponse("/statistics#people", 303)


@router.get("/statistics.csv")
async def spreadsheet(counted: Counted) -> Response:
    """The same for a spreadsheet."""
    return attached(to_csv(counted.players), "text/csv; charset=utf-8", "statistics.csv")


@router.get("/statistics.json")
async def data(counted: Counted) -> Response:
    """The same for programs."""
    players = [player.to_json() for player in counted.players]
    return Response(json.dumps(players), media_type="application/json", headers={"cache-control": "no-store"})


PLUGIN_PAGE: Final = PagePlugin(router, Path(__file__).parent, menu=("menu.html",), part=Statistics, keep=keep)
