"""Routes for the next game: players, ruleset and options, previewed before the game is started."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, HTTPException, Request, Response
from fastapi.responses import HTMLResponse
from pydantic import Field

from croupier.commands import StartGame
from croupier.errors import BadForm, BadRuleSet
from croupier.game_views.agreements import DEAL, SCORING, facts
from croupier.i18n import _, localize
from croupier.i18n.rules import POINTS
from croupier.names import TakenNames
from croupier.table_api.live_table import LiveTable
from croupier.web.dependencies import AsReferee, GameNumber, GamesDep, RendererDep, SeatingDep, Who
from croupier.web.forms import Number, OneOf, OpenForm, Posted, Text, possible
from croupier.web.http import ordered
from croupier_rules.referee import Header, Options, Referee, Written
from croupier_rules.referee.header import checked, teams_seated
from croupier_rules.referee.players import with_free_seats
from croupier_rules.rules import RuleSet, load, names
from croupier_rules.rules.catalogue import OF_THE_TABLE, VALUES, Value
from croupier_rules.rules.ruleset import parts_of, presets

_OFFERED: Final = ("deal.hand", "turn.must_draw", "wd4.challenge.who", "uno.penalty", *OF_THE_TABLE)
"""The rules that people most often choose themselves."""

RULE: Final = "rule-"
_MOST_VALUES: Final = 100

Amount = Annotated[Number, Field(le=99999)]


class NewGameForm(OpenForm):
    """The next game. ``last_draws``: how many cards the last to follow a house rule draws; ``blank_…``: the effect of
    blank wilds. ``all_names``: nobody sits where no name is given. ``house``: house rules that people know under one
    name. Extra fields: ``name-…``, by seat; ``rule-…``, by rule id, the table's own choice, which goes before
    ``house``."""

    ruleset: Annotated[str, OneOf(names())] | None = None
    house: Annotated[str, OneOf(tuple(presets()))] | None = None
    all_names: Literal["yes"] | None = None
    partners: Literal["no", "yes"] = "no"
    dealer: Amount | None = None
    target: Amount | None = None
    limit: Amount | None = None
    last_draws: Amount | None = None
    scoring: Annotated[str, OneOf(tuple(SCORING))] = "winner"
    deal: Annotated[str, OneOf(tuple(DEAL))] = "next"
    blank_text: Text | None = None
    blank_draw: Amount | None = None
    blank_skip: Literal["yes"] | None = None
    blank_again: Literal["yes"] | None = None

    def header(self, usual: Header) -> Header:
        """The header of the game, with as many seats as ``usual``, whose names and rules hold where none are given.

        Raises:
            BadLog: the ruleset forbids it. BadName: a name cannot be taken.
        """
        custom = None
        if self.blank_text:
            skip, again = self.blank_skip is not None, self.blank_again is not None
            custom = Written(text=self.blank_text, draw=self.blank_draw or 0, skip=skip, again=again)
        options = Options(
            target=self.target,
            scoring=self.scoring,
            limit=self.limit,
            deal=self.deal,
            own_penalties=False if self.last_draws is None else self.last_draws,
            custom=custom,
        )
        given_names = [self.extra().get(f"name-{i}", "") for i in range(len(usual.seats))]
        seats, rules = self._seats(usual.seats, given_names), self._ruleset(usual)
        teams = teams_seated(rules, len(seats)) if self.partners == "yes" else ()
        header = checked(Header(ruleset=rules, seats=seats, dealer=self.dealer, teams=teams, options=options))
        if self.all_names:
            free = [i for i, name in enumerate(given_names) if not name]
            header = with_free_seats(header, header.seats, free)
            Referee(header)  # raises BadLog if too few sit there
        return header

    def _seats(self, usual: Sequence[str], given: Sequence[str]) -> tuple[str, ...]:
        """The names by seat. Only changed ones are checked: the others stand in a log."""
        seats = [*zip(usual, given, strict=True)]
        taken = TakenNames(before for before, name in seats if name == before or not (name or self.all_names))
        return tuple(before if name in ("", before) else taken.add(name) for before, name in seats)

    def _ruleset(self, usual: Header) -> RuleSet:
        """The ruleset with the house rules; without any of these fields that of ``usual``."""
        chosen = {name.removeprefix(RULE): value for name, value in self.extra().items() if name.startswith(RULE)}
        if self.ruleset is None and self.house is None and not chosen:
            return usual.ruleset
        base = self.ruleset or parts_of(usual.ruleset.name)[0]
        try:
            preset = [self.house] if self.house else []
            return load("+".join([base, *preset, *(f"{rule}={value}" for rule, value in chosen.items() if value)]))
        except BadRuleSet as err:
            raise BadForm(_("That is not possible: {why}.", why=" ".join(localize(err)))) from err


def _choices(rules: RuleSet) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """The rules that may be chosen, those of the last game included: id, question, and the values with their words."""
    others = [rule for rule in VALUES if rules.is_chosen(rule) and rule not in _OFFERED]
    return [
        (
            rule,
            _(POINTS[rule].question),
            [(str(value), POINTS[rule].in_the_language(value)) for value in _values(rules, rule)],
        )
        for rule in (*_OFFERED, *others)
    ]


def _values(rules: RuleSet, rule: str) -> Sequence[Value]:
    """The values to choose from; of very many the present one."""
    return VALUES[rule] if len(VALUES[rule]) <= _MOST_VALUES else (rules.value(rule),)


def typed(header: Header) -> dict[str, str]:
    """The fields of a form, except for names, that make a game as that of ``header``."""
    base, house, rules = parts_of(header.ruleset.name)
    options, custom = header.options, header.options.custom
    fields = {
        "ruleset": base,
        "house": house,
        **{f"{RULE}{rule}": value for rule, value in rules.items()},
        "partners": "yes" if header.teams else "no",
        "scoring": options.scoring,
        "deal": options.deal,
        "target": options.target,
        "limit": options.limit,
        "last_draws": None if options.own_penalties is True else options.own_penalties,
        "blank_text": custom and custom.text,
        "blank_draw": custom and custom.draw,
        "blank_skip": custom and custom.skip and "yes",
        "blank_again": custom and custom.again and "yes",
    }
    return {name: str(value) for name, value in fields.items() if value}


def offers(header: Header) -> dict[str, Any]:
    """Return the choices of a form of rules, for the template."""
    return {
        "rulesets": [(name, load(name).title) for name in names()],
        "presets": presets(),
        "choices": _choices(header.ruleset),
        "rule": RULE,
        "scoring": [(name, _(text)) for name, text in SCORING.items()],
        "deal": [(name, _(text)) for name, text in DEAL.items()],
    }


router = APIRouter()


async def _free_table(game: GameNumber, _person: AsReferee, games: GamesDep) -> LiveTable:
    """The live table, for a referee who starts the next game; or the answer 403 or 409."""
    table, state = games.require_live(game)
    if not state.may_start_game:
        raise HTTPException(409, _("A game is in progress. A new one can begin when it is over."))
    return table


FreeTable = Annotated[LiveTable, Depends(_free_table)]


async def _wanted(_table: FreeTable, form: Posted[NewGameForm], games: GamesDep) -> tuple[NewGameForm, Header]:
    """The form, and the header that it describes."""
    with possible():
        return form, form.header(games.next_header())


Wanted = Annotated[tuple[NewGameForm, Header], Depends(_wanted)]


@router.get("/games/{game}/next", response_class=HTMLResponse)
async def ask(
    game: GameNumber, person: Who, _table: FreeTable, games: GamesDep, render: RendererDep, seating: SeatingDep
) -> Response:
    """The form for the next game, for a referee."""
    header = games.next_header()
    return render.html(
        "next", person, game=game, seats=header.seats,
        names=seating.names(header.seats), free=seating.unseated(games.live_story().free_seats),
        lacks_names=games.lacks_names(), values=typed(header), wrong={}, **offers(header),
    )  # fmt: skip


@router.post("/games/{game}/next", response_class=HTMLResponse)
async def preview(game: GameNumber, person: Who, wanted: Wanted, render: RendererDep) -> Response:
    """Show the game before it is started."""
    form, header = wanted
    return render.html(
        "begin", person, game=game, form=form.fields(), header=header, facts=facts(header),
        sitting=[name for i, name in enumerate(header.seats) if i not in (header.given or {}).get("out", ())],
    )  # fmt: skip


@router.post("/games/{game}/begin")
async def start(request: Request, table: FreeTable, wanted: Wanted) -> Response:
    """Start the game."""
    _form, header = wanted
    return await ordered(request, table.submit(StartGame(header)), "/")
