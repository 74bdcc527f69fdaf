"""The page Settings: an admin changes names, language, colors and plug-ins at once, and the rules of the next game."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, HTTPException, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.concurrency import run_in_threadpool

from croupier.errors import BadRuleSet
from croupier.game_views.agreements import changes
from croupier.i18n import _, language
from croupier.table_api.live_table import ChangeSettings, Settings, Value, mark
from croupier.web.dependencies import AsAdmin, GamesDep, RendererDep
from croupier.web.forms import OpenForm, Posted, Text
from croupier.web.routes.new_game import RULE, offers, typed
from croupier_rules.referee.header import teams_seated
from croupier_rules.rules import load

_NAME: Final = "name-"
_NAMES: Final = "seats.names"
_NOW: Final = {
    "language": "table.language",
    "theme": "page.theme",
    "no_call": "page.no_call",
}
_LATER: Final = {
    "ruleset": "rules.base",
    "house": "rules.house",
    "partners": "seats.teams",
    "target": "game.target",
    "scoring": "game.scoring",
    "limit": "game.limit",
    "deal": "game.deal",
    "last_draws": "game.own_penalties",
    "blank_text": "game.blank.text",
    "blank_draw": "game.blank.draw",
    "blank_skip": "game.blank.skip",
    "blank_again": "game.blank.again",
}
"""The option of `croupier.toml` behind each field of the two forms; beside them stand the names, by seat, the options
of plug-ins, by their own names, and rules."""

_NUMBERS: Final = ("target", "limit", "last_draws", "blank_draw")


class _SettingsForm(OpenForm):
    """``do``: change what is in force at once, or what waits for the next game, or take back what waits. ``seen``: the
    `mark` of what was shown. The further fields are those of one form."""

    do: Literal["now", "later", "keep"]
    seen: Text = ""


router = APIRouter()


async def _settings(_person: AsAdmin, games: GamesDep) -> Settings:
    """The settings of the live table, for an admin; or the answer 403, or 404 where none can be changed."""
    settings = None if (state := games.state) is None else state.settings
    if settings is None:
        raise HTTPException(404, _("There is no page at this address."))
    return settings


TableSettings = Annotated[Settings, Depends(_settings)]


class _SettingsPage:
    """The page Settings."""

    def __init__(self, person: AsAdmin, settings: TableSettings, games: GamesDep, render: RendererDep) -> None:
        self._person, self._settings, self._games, self._render = person, settings, games, render

    def html(
        self, status: int = 200, do: str = "", given: Mapping[str, str] | None = None,
        mistakes: tuple[tuple[str, str], ...] = (), *, is_stale: bool = False,
    ) -> HTMLResponse:  # fmt: skip
        """The page. ``given``: the fields of the form ``do`` as they were sent; the others are as it is now."""
        settings, header = self._settings, self._games.next_header()
        values = {"now": dict(_typed_now(settings)), "later": typed(header)} | ({} if given is None else {do: given})
        fields = {option: field for field, option in (_NOW | _LATER).items()}
        wrong = {fields.get(option, option.replace("rules.", RULE, 1)): text for option, text in mistakes}
        return self._render.html(
            "settings", self._person, status, do=do, values=values, wrong=wrong, is_stale=is_stale, seats=header.seats,
            settings=settings, seen={"now": mark(settings.now), "later": mark(settings.later)},
            pending=changes(self._games.live_story().header, settings.next_header), **offers(header),
        )  # fmt: skip


SettingsPage = Annotated[_SettingsPage, Depends(_SettingsPage)]


@router.get("/settings", response_class=HTMLResponse)
async def settings_page(page: SettingsPage, done: Literal["", "now", "later", "keep"] = "") -> Response:
    """The settings as they are, and what waits for the next game."""
    return page.html(do=done)


@router.post("/settings", response_class=HTMLResponse)
async def change(settings: TableSettings, form: Posted[_SettingsForm], page: SettingsPage, games: GamesDep) -> Response:
    """Change settings, or take back what waits for the next game."""
    given = form.extra()
    match form.do:
        case "now":
            options = _options_now(given, dict(settings.now))
        case "later":
            options = _options_later(given, dict(settings.later), len(games.seat_names()))
        case "keep":
            options = dict(settings.running)
    assert games.live_table is not None
    wanted = ChangeSettings(options, form.seen, language())
    answer = await run_in_threadpool(games.live_table.ask, wanted)
    if answer is None:
        raise HTTPException(503, _("The table does not answer: try again."))
    if answer.is_stale:
        return page.html(409, form.do, is_stale=True)
    if answer.mistakes:
        return page.html(422, form.do, None if form.do == "keep" else given, answer.mistakes)
    return RedirectResponse(f"/settings?done={form.do}", 303)


def _typed_now(settings: Settings) -> Iterator[tuple[str, str]]:
    """The fields of the first form as they are now."""
    options = dict(settings.now)
    names = options[_NAMES]
    assert isinstance(names, tuple)
    for seat, name in enumerate(names):
        yield f"{_NAME}{seat}", str(name)
    fields = {option: field for field, option in _NOW.items()}
    for option, value in options.items():
        if option != _NAMES and value not in (None, False):
            yield fields.get(option, option), "yes" if value is True else str(value)


def _value(field: str, text: str) -> Value:
    return _number(text) if field in _NUMBERS else text or None


def _number(text: str) -> Value:
    """Return the number in a field; text that is not a number stays text, for the answer."""
    return int(text) if text.isascii() and text.isdigit() else text or None


def _options_now(given: Mapping[str, str], before: Mapping[str, Value]) -> dict[str, Value]:
    options: dict[str, Value] = {option: _value(field, given.get(field, "")) for field, option in _NOW.items()}
    for option in before.keys() - {_NAMES, *options}:  # of plug-ins
        match before[option]:
            case bool():
                options[option] = option in given
            case int():
                options[option] = _number(given.get(option, ""))
            case _:
                options[option] = given.get(option) or None
    names = before[_NAMES]
    assert isinstance(names, tuple)
    return options | {_NAMES: tuple(given.get(f"{_NAME}{seat}", "") for seat in range(len(names)))}


def _options_later(given: Mapping[str, str], before: Mapping[str, Any], seats: int) -> dict[str, Value]:
    options: dict[str, Value] = {option: _value(field, given.get(field, "")) for field, option in _LATER.items()}
    rules = {
        option: given.get(option.replace("rules.", RULE, 1))
        for option in before
        if option.startswith("rules.") and option not in options
    }
    for field in ("blank_skip", "blank_again"):
        options[_LATER[field]] = True if field in given else None
    if options["game.own_penalties"] is None:
        options["game.own_penalties"] = before["game.own_penalties"] is True
    options["seats.teams"] = () if given.get("partners") != "yes" else before["seats.teams"]
    if given.get("partners") == "yes" and not before["seats.teams"]:
        try:
            options["seats.teams"] = teams_seated(load(given.get("ruleset", "")), seats)
        except BadRuleSet:
            options["seats.teams"] = ()
    return options | rules
