"""Rendering of the templates, for the site and for standalone files."""

from __future__ import annotations

import gzip
import json
import logging
import re
from base64 import b64encode
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Literal

from jinja2 import BytecodeCache, ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined
from jinja2.bccache import Bucket
from markupsafe import Markup

from croupier import plugins
from croupier.alarms import problem_texts
from croupier.errors import BadMessage, CroupierError
from croupier.game_views.agreements import changes
from croupier.game_views.big_screen import BigScreen
from croupier.game_views.dispute import dispute, title_of
from croupier.game_views.geometry import score_chart
from croupier.game_views.offers import SHORTCUTS, Offers
from croupier.game_views.open_hands import hand_in_sight, hands_due
from croupier.game_views.player_headline import player_headline
from croupier.game_views.signs import NOBODY, Mark, account_signs, signs_of
from croupier.game_views.spoken import sentences
from croupier.game_views.story import Moment, Story
from croupier.game_views.turns import end_of_round, timeline, turns
from croupier.game_views.view import TableView, advice, card_view, deck_colors, symbols
from croupier.i18n import LANGUAGES, _, language, localize, marked, ngettext, speaking
from croupier.names import seat_names
from croupier.table_api.live_table import LiveLine, LiveTable, LiveTableState
from croupier.web.accounts import SPECTATOR, Person
from croupier.web.addresses import NetworkAddress, PageAddresses, asked_host, receipt_address
from croupier.web.corrections import Tasks
from croupier.web.middleware import own_theme
from croupier.web.once import KeyedForms
from croupier.web.seating import Seats, invitation
from croupier_rules.cards import SHAPES, UNREAD

if TYPE_CHECKING:
    from fastapi import APIRouter

    from croupier.web.games import Games

_log: Final = logging.getLogger(__name__)

Kind = Literal["table", "board", "seat"]
"""``table``: everything; ``board``: for a screen across the room; ``seat``: for the phone of one seat."""

View = Kind | Literal["replay", "turns"]
"""Views of a game: a page; parts of it over other pictures; one of its moments, and the log of that round."""

REGION: Final = re.compile(r"<!--\[([\w-]+)\]-->(.*?)<!--/-->", re.DOTALL)
"""A region of a rendered page: its id, and its one element."""

_HERE: Final = Path(__file__).parent
STATIC: Final = _HERE / "static"
_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_DARK_MEDIA: Final = {"auto": "(prefers-color-scheme: dark)", "light": "not all", "dark": "all"}
"""When dark.css counts, by theme."""

_FONT_FACE: Final = re.compile(r"@font-face \{.*?\}\n", re.DOTALL)
_FONT_FILE: Final = re.compile(r"url\(/static/fonts/([\w-]+)\.woff2\)")
_MORE_SCRIPTS: Final = {"el": ("greek",), "hu": ("latin-ext",), "pl": ("latin-ext",)}
"""Of the fonts, by language, beside Latin-1."""

_CACHED_PARTS: Final = 128
_COLORS: Final = (marked("red"), marked("yellow"), marked("green"), marked("blue"))


@dataclass(frozen=True, slots=True)
class Perspective:
    """All that decides what a viewer of a game sees, apart from the game's state. ``kind``: a `View`, or a template of
    the plug-in ``plugin``, which is asked for with `PagePlugin.view`. ``parts``, ``delay_s``: of an overlay, whose
    ``game`` is the live one at that time, whatever stands here. ``host``: the own address at which the viewer has
    opened the page, where it shows codes for phones beside the viewer."""

    kind: str
    game: int
    person: Person
    seat: int | None = None
    language: str = "en"
    plugin: str = ""
    parts: tuple[str, ...] = ()
    delay_s: int = 0
    host: str = ""


@dataclass(frozen=True, slots=True)
class PagePlugin:
    """A part of the page in a distribution of its own (`croupier.plugins.PAGES`).

    ``router``: has its routes. ``folder``: has its ``templates``, which are asked for with the name of
    the plug-in before them (``tournament/badge.html``), and its ``static`` files, which are at ``/static/NAME/``.
    ``regions``: those of its templates that are shown on the pages of the live table and of each seat;
    ``shares``: those that are shown where people share a moment of a game; ``cameras``: those above the picture of the
    camera, on the page Camera and in the setup; ``settings``: those with a field for each option that its section has
    ``at_once``, named ``section.option``, on the page Settings. ``view``: makes
    what renders its own `Perspective`s of the live game, by the pages, the games and a clock (monotonic seconds).
    ``keepsakes``: those below the podium of a game, which get the ``address`` of its files; ``scripts``: the static
    files of these, for each page that has such a podium or gets one while it is open.
    ``state``: the class of the values that its observer of the table shows (`TableObserver.state`); None without one.
    ``menu``: those of its templates with links in the menu of each page; with the name ``keeper.html``, in that of
    admins. ``part``: makes what it keeps for one site, by the file of the journal, and a function that sends a text to
    ``keep``. ``keep``: runs at the table, and writes beside the journal what this text says, since the page writes
    nothing. It raises `BadMessage` for a text that the part does not send, and `CannotWrite`. ``needs_journal``: its
    pages wait for the journal of a table.
    """

    router: APIRouter
    folder: Path
    regions: tuple[str, ...] = ()
    shares: tuple[str, ...] = ()
    cameras: tuple[str, ...] = ()
    keepsakes: tuple[str, ...] = ()
    scripts: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    view: Callable[[Pages, Games, Callable[[], float]], LiveView] | None = None
    state: type | None = None
    menu: tuple[str, ...] = ()
    part: Callable[[Path, Callable[[str], None]], SitePart] | None = None
    keep: Callable[[Path, str], None] | None = None
    needs_journal: bool = True


class SitePart:
    """State of a plug-in for one site. Its routes get it by its class (`croupier.web.dependencies.provided`)."""

    def reruns(self, story: Story, game: int) -> Mapping[int, str]:
        """The moments of the live ``game`` that it can show again, and the addresses of its pages with them; with
        ``&still=true``, of one picture (JPEG). Called only where the table has a camera."""
        return {}

    def marks(self) -> Mapping[str, Mark]:
        """The marks of the people that it knows (`croupier.game_views.signs`)."""
        return NOBODY

    def questions(self, game: int, seat: int | None) -> tuple[tuple[str, str], ...]:
        """Return its questions to the player of a seat of the live ``game``: addresses of its pages, each with the
        question, to be translated."""
        return ()

    def known_names(self) -> tuple[str, ...]:
        """Names of people, which are offered where the name of a player is typed. Returns at once."""
        return ()

    def append(self, line: LiveLine) -> None:
        """Take over the next line of the live game. Returns at once."""


def keep_for_plugin(journal: Path, name: str, text: str) -> None:
    """Have the plug-in ``name`` write what its page sent (`PagePlugin.keep`).

    Raises:
        BadMessage: there is no such plug-in, or it does not send that. CannotWrite: it cannot be kept.
    """
    if name not in plugins.names(plugins.PAGES):
        raise BadMessage
    plugin: PagePlugin = plugins.load(plugins.PAGES, name)  # only this one: the table itself has no page
    if plugin.keep is None:
        raise BadMessage
    plugin.keep(journal, text)


LiveView = Callable[["Perspective"], "tuple[int, str] | None"]
"""Renders what a perspective shows of the live game: the place in the log, and the part of the page."""


@cache
def page_plugins() -> Mapping[str, PagePlugin]:
    """The plug-ins of the page by name; one that lacks a package is reported in the log, and left out."""
    return plugins.loaded(plugins.PAGES, lambda err: _log.warning("%s", err))


def _of_plugins(templates: Callable[[PagePlugin], tuple[str, ...]]) -> list[str]:
    """The names of templates of all plug-ins."""
    return [f"{name}/{one}" for name, plugin in page_plugins().items() for one in templates(plugin)]


class _CompiledTemplates(BytecodeCache):
    """The templates that this process has compiled, for each `Pages`: it takes longer than to render them."""

    def __init__(self) -> None:
        self._compiled: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        if (compiled := self._compiled.get(bucket.key)) is not None:
            bucket.bytecode_from_string(compiled)

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._compiled[bucket.key] = bucket.bytecode_to_string()


_COMPILED: Final = _CompiledTemplates()


def environment(*folders: Path, with_plugins: bool = True) -> Environment:
    """The templates of the page, after those in ``folders``, with what all of them need. ``with_plugins``: False where
    those of plug-ins are not asked for, so that none is loaded."""
    plugged = page_plugins().items() if with_plugins else ()
    loaders = {name: FileSystemLoader(one.folder / "templates") for name, one in plugged}
    made = Environment(
        loader=ChoiceLoader([FileSystemLoader([*folders, _HERE / "templates"]), PrefixLoader(loaders)]),
        bytecode_cache=_COMPILED,
        autoescape=True,
        auto_reload=False,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[KeyedForms],
    )
    made.globals.update(
        _=_,
        ngettext=ngettext,
        language=language,
        languages=LANGUAGES,
        shapes={color: SHAPES[color] for color in _COLORS},
        deck_colors=deck_colors,
        theme=lambda: own_theme() or "auto",
        own_theme=own_theme,
        fonts=fonts,
        dark_media=_DARK_MEDIA.__getitem__,
        receipt_address=receipt_address,
        seat_names=seat_names,
        signs_of=lambda names: signs_of(names, NOBODY),
        account_signs=lambda story: account_signs(story.header.seats, story.header.teams, NOBODY),
    )
    made.filters.update(
        clock=_format_clock,
        hundredths=_format_hundredths,
        date=_format_date,
        seconds=_format_seconds,
        localize=_localize,
    )
    return made


class Pages:
    """Renders pages. Thread-safe.

    ``live_table``: the table that is played at now, if any; ``addresses``: how phones reach the site;
    ``is_standalone``: the page is a file, without a site to link to; ``has_setup``: the table is set up on this site;
    ``parts``: those of plug-ins.
    """

    def __init__(
        self,
        live_table: LiveTable | None,
        addresses: PageAddresses | None = None,
        *,
        is_standalone: bool = False,
        has_setup: bool = False,
        parts: Sequence[SitePart] = (),
    ) -> None:
        self._live_table, self.addresses = live_table, addresses or PageAddresses(0)
        self.parts = parts
        self._environment = environment()
        self._environment.globals.update(
            shortcuts={name: f"Alt+Shift+{key}" for name, key in SHORTCUTS.items()},
            invitation=invitation,
            url_at=self.addresses.url,
            address_of=NetworkAddress,
            plugin_menu=_of_plugins(lambda plugin: plugin.menu),
            documents=plugins.names(plugins.DOCUMENTS),
            plugin_cameras=_of_plugins(lambda plugin: plugin.cameras),
            plugin_keepsakes=_of_plugins(lambda plugin: plugin.keepsakes),
            plugin_scripts=_of_plugins(lambda plugin: plugin.scripts),
            plugin_parts=_of_plugins(lambda plugin: plugin.regions),
            plugin_settings=_of_plugins(lambda plugin: plugin.settings),
            plugin_shares=_of_plugins(lambda plugin: plugin.shares),
            is_standalone=is_standalone,
            known_names=lambda: [name for part in parts for name in part.known_names()],
            signs_of=lambda names: signs_of(names, self.marks()),
            account_signs=lambda story: account_signs(story.header.seats, story.header.teams, self.marks()),
            has_https=lambda: self.addresses.fingerprint != "",
            has_setup=has_setup,
            has_settings=lambda: live_table is not None and live_table.state.settings is not None,
            theme=lambda: own_theme() or ("auto" if live_table is None else live_table.state.theme),
            table_has_camera=lambda: live_table is not None and live_table.state.has_camera,
            can_set_up_camera=lambda: live_table is not None and live_table.state.can_set_up_camera,
        )
        self._parts: OrderedDict[object, str] = OrderedDict()
        self._lock = Lock()

    def marks(self) -> Mapping[str, Mark]:
        """The marks of the people that the plug-ins know."""
        return next((marks for part in self.parts if (marks := part.marks())), NOBODY)

    def render(self, name: str, **variables: Any) -> str:
        """The whole page ``name``."""
        is_simulation = self._is_simulation(variables.get("game"), variables.get("story"))
        return self._environment.get_template(f"{name}.html").render(
            is_simulation=is_simulation,
            networks=self.addresses.networks,
            **self._addressed(asked_host()),
            **variables,
        )

    def render_part(self, perspective: Perspective, story: Story, n: int | None, seats: Seats | None = None) -> str:
        """The part of a page that changes during a game, after ``n`` observations (``None``: now), with the ``seats``
        of the live table. Cached."""
        state = self._live_table.state if self._live_table is not None and n is None else None
        table = state if state is not None and state.game == perspective.game else None
        seat = perspective.seat
        asked = () if table is None else tuple(q for one in self.parts for q in one.questions(table.game, seat))
        addressed = self._addressed(perspective.host)
        place = (len(story) if n is None else n, n is None and len(story))
        marks = self.marks()
        key = (perspective, *place, table, seats, asked, tuple(marks.items()), *addressed.values())
        with self._lock:
            if (part := self._parts.get(key)) is not None:
                self._parts.move_to_end(key)
                return part
        with speaking(perspective.language):
            part = self._render_part(perspective, story, n, table, seats, asked, marks, addressed)
        with self._lock:
            self._parts[key] = part
            while len(self._parts) > _CACHED_PARTS:
                self._parts.popitem(last=False)
        return part

    def _addressed(self, host: str) -> dict[str, object]:
        """What a page for somebody at ``host`` tells of its address: for phones there, in which network that is, and
        whether there are other networks."""
        address = self.addresses.in_network_of(host)
        network = self.addresses.network_of(address)
        others = any(one.is_likely and one != network for one in self.addresses.networks)
        return {"network_address": address, "network": network, "other_networks": network is not None and others}

    def reruns(self, story: Story, table: LiveTableState | None) -> dict[int, str]:
        """The moments of the game that is played at a ``table`` that can be shown again, and where."""
        if table is None or not table.has_camera:
            return {}
        return {n: address for one in self.parts for n, address in one.reruns(story, table.game).items()}

    def _is_simulation(self, game: int | None, story: Story | None) -> bool:
        """True if the log or the live table is marked as simulated."""
        state = self._live_table.state if self._live_table is not None else None
        is_live = state is not None and state.is_simulation and game in (None, state.game)
        return is_live or (story is not None and story.is_simulation)

    def _render_part(
        self,
        perspective: Perspective,
        story: Story,
        n: int | None,
        table: LiveTableState | None,
        seats: Seats | None,
        asked: tuple[tuple[str, str], ...],
        marks: Mapping[str, Mark],
        addressed: Mapping[str, object],
    ) -> str:
        candidates = table.candidates if table is not None else ()
        tasks = Tasks.of(story, perspective.person, table) if table is not None else None
        seat, person = perspective.seat, perspective.person
        is_player = person.role == "player" and person.seat == seat
        reader = seat if is_player else None
        view = TableView(story, n, reader, marks, "at-once" if table is None else table.no_call)
        is_picture = perspective.kind == "board" or bool(perspective.plugin)
        own_hand = story.own_hand(seat, table.offers) if table is not None and seat is not None and is_player else ()
        offers = Offers.of(story, view, table, seat) if table is not None and seat is not None else None
        to_me = ""
        if table is not None and offers is not None and reader is not None:
            to_me = player_headline(story, view, offers, table, reader)
        is_told = table is not None and perspective.kind in ("table", "seat")
        disputed = dispute(story, view.moment, reader) if table is not None else None
        is_own = person.may("referee") or person.seat == seat
        return self._environment.get_template(f"{perspective.plugin or 'parts'}/{perspective.kind}.html").render(
            game=perspective.game,
            **addressed,
            story=story,
            is_simulation=self._is_simulation(perspective.game, story),
            view=view,
            screen=BigScreen(story, view, table) if is_picture else None,
            chart=score_chart(story, view.moment, marks) if perspective.kind in ("table", "replay") else None,
            rounds=story.scores_at(view.moment),
            accounts=story.accounts,
            person=perspective.person,
            seat=None if perspective.seat is None else view.seats[perspective.seat],
            is_live=table is not None,
            table=table,
            seats=seats if table is not None else None,
            alarms=problem_texts(table.alarms, table.seen) if table is not None else [],
            advice=advice(story, view.moment, table) if table is not None else "",
            candidates=[card_view(face, story) for face in candidates],
            parts=perspective.parts,
            asked=asked,
            symbols=[] if is_picture else symbols(story),
            disputed=disputed,
            disputed_card=None if disputed is None else card_view(disputed.face, story),
            disputed_title="" if disputed is None else title_of(disputed, story),
            reruns=self.reruns(story, table) if is_told else {},
            pending=changes(story.header, table.settings.next_header) if table is not None and table.settings else [],
            offers=offers,
            in_sight=[card_view(face, story) for face in hand_in_sight(story, table)]
            if seat in hands_due(story, table)[:1]
            else [],
            own_hand=[card_view(face, story) for face in own_hand],
            unread_card=card_view(UNREAD, story),
            to_me=to_me,
            news=list(sentences(story, view, seat, offers if is_own else None, reader)) if is_told else [],
            tasks=tasks,
            likely={n: [card_view(face, story) for face in faces] for n, faces in tasks.likely.items()}
            if tasks
            else {},
            **self._log(perspective, story, view.moment),
        )

    def _log(self, perspective: Perspective, story: Story, moment: Moment) -> dict[str, Any]:
        """Return the parts of a replay beside the table: the announcement of the moment, and the log of the whole
        round."""
        if perspective.kind == "turns":
            found = turns(story, moment)
            cards = {card.face: card for turn in found for line in turn.lines for card in line.cards}
            return {"turns": found, "icons": cards.values()}
        if perspective.kind == "replay":
            log = self.render_part(replace(perspective, kind="turns"), story, end_of_round(story, moment))
            return {"said": story.describe(moment), "turns": log}
        return {}


def fonts() -> list[str]:
    """The fonts that every page in the current language needs."""
    scripts = ("latin", *_MORE_SCRIPTS.get(language(), ()))
    return [f"{font}-{script}" for script in scripts for font in ("sans", "serif")]


def _format_clock(t: float) -> str:
    """Seconds on the table's clock as minutes and seconds."""
    return f"{int(t) // 60}:{int(t) % 60:02}"


# Babel, whose data are larger than all else, is loaded where a page has a date or a decimal: a hub needs none.
def _format_seconds(s: float) -> str:
    from babel.numbers import format_decimal

    return format_decimal(s, "0.0", locale=language())


def _format_hundredths(s: float) -> str:
    from babel.numbers import format_decimal

    return format_decimal(s, "0.00", locale=language())


def _format_date(seconds: float) -> str:
    from babel.dates import format_datetime

    return format_datetime(datetime.fromtimestamp(seconds, UTC).astimezone(), "short", locale=language())


def _localize(err: CroupierError) -> str:
    return " ".join(localize(err))


def standalone_page(story: Story, began: datetime | None = None) -> str:
    """A game as one HTML file that needs no network and no server, in the present language, without hidden faces.

    Most of the page stays the same from one moment to the next, so each version of each region is stored once, with the
    moments from which on it is shown.
    """
    from babel.dates import format_date

    pages = Pages(None, is_standalone=True)
    perspective = Perspective("replay", 0, SPECTATOR, language=language())
    # It brings no fonts along: those of the system are shown.
    style = embedded_style((), (STATIC / "replay.css").read_text(encoding="utf-8"))
    script = (STATIC / "replay.js").read_text(encoding="utf-8")
    icon = (STATIC / "icon.svg").read_bytes()
    return pages.render(
        "standalone",
        story=story,
        last=len(story),
        n=len(story),
        began="" if began is None else format_date(began, "long", locale=language()),
        part=pages.render_part(perspective, story, len(story)),
        style=Markup(style),
        script=Markup(script),
        icon=b64encode(icon).decode(),
        policy=f"default-src 'none'; style-src {content_hash(style)}; script-src {content_hash(script)}; "
        "img-src data:; base-uri 'none'; form-action 'none'",
        game=b64encode(gzip.compress(json.dumps(_versions(pages, perspective, story)).encode(), mtime=0)).decode(),
    )


def embedded_style(names: Sequence[str], more: str) -> str:
    """The style of a page that is one file: that of all pages, light or dark as the reader's device is, with the
    fonts ``names`` inside, and ``more`` after it."""

    def face(found: re.Match[str]) -> str:
        if (file := _FONT_FILE.search(found[0])) is None:
            return found[0]  # what the device has in place of a font
        if file[1] not in names:
            return ""
        font = b64encode((STATIC / f"fonts/{file[1]}.woff2").read_bytes()).decode()
        return found[0].replace(file[0], f"url(data:font/woff2;base64,{font})")

    light, dark = ((STATIC / f"{name}.css").read_text(encoding="utf-8") for name in ("page", "dark"))
    return _FONT_FACE.sub(face, _COMMENT.sub("", f"{light}@media {_DARK_MEDIA['auto']} {{{dark}}}{more}"))


def content_hash(text: str) -> str:
    """The source expression of an inline text in a Content-Security-Policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _versions(pages: Pages, perspective: Perspective, story: Story) -> Mapping[str, Any]:
    """The data of the page's script: the `timeline`; ``looks``: all versions of all regions; ``regions``: by id the
    moments at which the region changes, each with the index of its version."""
    looks: dict[str, int] = {}
    regions: dict[str, list[tuple[int, int]]] = {}
    for moment in story.moments:
        for name, html in REGION.findall(pages.render_part(perspective, story, moment.n)):
            index = looks.setdefault(html, len(looks))
            changes = regions.setdefault(name, [])
            if not changes or changes[-1][1] != index:
                changes.append((moment.n, index))
    return {**timeline(story), "looks": list(looks), "regions": regions}
