"""Corrections of the record: their forms, who may make them, and the open tasks of a person."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Final, Literal

from croupier.errors import BadForm
from croupier.game_views.record import (
    NOT_ASKED,
    RecordLine,
    correctable,
    likely_faces,
    next_headline,
    question_of,
    record_lines,
    top_line,
    undoable_line,
)
from croupier.game_views.story import Story
from croupier.i18n import _, marked
from croupier.table_api.live_table import LiveTableState
from croupier.web.accounts import Person
from croupier.web.forms import Face, Number, OneOf, OpenForm, Text, parse_number, possible
from croupier_rules.cards import DECK_COLORS, symbol_of
from croupier_rules.referee import Observation, parse_observation
from croupier_rules.referee.corrections import Correction, Report, SetTo, Undo, Was, unread
from croupier_rules.referee.observations import OBSERVATIONS, Shown, to_json
from croupier_rules.rules import RuleSet
from croupier_rules.rules.card_tables import card_tables

_PLAY: Final = {
    "play": marked("a card was played"),
    "color": marked("a color was named"),
    "drew": marked("cards were drawn"),
    "pass": marked("a turn was ended"),
    "uno": marked("somebody called UNO"),
    "accept": marked("a Wild Draw Four was accepted"),
    "challenge": marked("a Wild Draw Four was challenged"),
    "shown": marked("a hand was shown"),
    "swap": marked("hands were swapped"),
    "target": marked("it was chosen who draws"),
    "discarded": marked("cards were laid under a Discard All"),
    "redealt": marked("cards were dealt after Shuffle Hands"),
    "house_rule": marked("a house rule was made"),
    "decline": marked("no house rule was made"),
    "acted": marked("somebody obeyed the house rule"),
}
_DEAL: Final = {
    "pick": marked("a card was drawn for the deal"),
    "dealt": marked("cards were dealt"),
    "upcard": marked("the first card was turned up"),
    "recycled": marked("the discard pile became the draw pile"),
}
_BESIDE: Final = {
    "hint": marked("somebody told another what to play"),
    "fault": marked("play is stopped"),
    "resumed": marked("play goes on"),
}
REPORT_GROUPS: Final = {
    marked("In play"): _PLAY,
    marked("Dealing and piles"): _DEAL,
    marked("Beside the game"): _BESIDE,
}
"""Observations that a referee may add, because no device saw what happened: what happens most often first."""

REPORTS: Final = _PLAY | _DEAL | _BESIDE
"""All of them."""

Kind = Literal["was", "never", "undo", "set", "report"]
"""Kinds of corrections: line ``n`` was something else; line ``n`` did not happen; the last line, ``n``, is undone; the
position is set; an observation is added."""


class CorrectionForm(OpenForm):
    """Any correction. ``n``: a line of the record. ``line``: the newest line when the form was shown. The names of
    other fields are those of observations and of the position, but ``count`` stands for the observation's ``n``, and
    ``other`` for the seat ``with`` which hands are swapped. ``place``: of the ``card`` in a shown hand, from 0.

    Extra fields: ``card-…`` the cards of a hand that is reported; ``hands-…`` and ``scores-…`` by seat or account;
    ``was-NAME`` what the field NAME held when the form was shown.
    """

    n: Number | None = None
    line: Number | None = None
    obs: Annotated[str, OneOf(tuple(REPORTS))] | None = None
    seat: Number | None = None
    other: Number | None = None
    card: Face | None = None
    place: Number | None = None
    count: Number | None = None
    color: Annotated[str, OneOf(DECK_COLORS)] | None = None
    number: Number | None = None
    text: Text | None = None
    turn: Number | None = None
    dealer: Number | None = None
    top: Face | None = None
    direction: Literal["left", "right"] | None = None
    draw_pile: Number | None = None


def possible_reports(rules: RuleSet) -> Mapping[str, Mapping[str, str]]:
    """`REPORT_GROUPS` without what cannot happen under the rules in play."""
    symbols, tables = set(map(symbol_of, rules.faces)), card_tables(rules.deck)
    never = {
        "swap": rules.value("seven") == "plain" and not tables.swaps,
        "target": not tables.targets,
        "discarded": not tables.discards,
        "redealt": "wild-shuffle" not in symbols | rules.faces,
        "hint": rules.value("penalty.hint") == "none",
        **dict.fromkeys(("house_rule", "decline", "acted"), not rules.most_house_rules),
    }
    return {
        group: {name: said for name, said in reports.items() if not never.get(name)}
        for group, reports in REPORT_GROUPS.items()
    }


def to_correction(kind: Kind, form: CorrectionForm, story: Story) -> Correction:
    """The correction that a form describes.

    Raises:
        BadForm: the form does not fit the record.
    """
    match kind:
        case "was":
            old = _standing(form, story)
            return Was(old, _changed(old, form, story))
        case "never":
            return Was(_standing(form, story), None)
        case "undo":
            return Undo(_standing(form, story, ("tick",)))
        case "set":
            return SetTo(_changed_position(form, story), line=form.line)
        case "report" if form.obs is not None:
            reported: dict[str, Any] = {"obs": form.obs, "t": 0.0} | _observation_fields(OBSERVATIONS[form.obs], form)
            if form.obs == "fault":
                reported |= {"device": "referee", "kind": "pause"}
            if form.obs == "shown":
                reported["cards"] = form.cards()
            return Report(_parse(reported, story), line=form.line)
    raise BadForm(_("That cannot be done here."))


def may_correct(correction: Correction, person: Person, story: Story) -> bool:
    """True if the person may make this correction. A referee may make any; a player may undo the own presses and name
    cards that could not be read, unless they belong to a hidden hand."""
    if person.may("referee"):
        return True
    if person.role != "player":
        return False
    match correction:
        case Undo():
            old = getattr(correction.old, "player", None) or correction.old
            return getattr(old, "seat", None) == person.seat
        case Was():
            was_unread = unread(correction.old) and not isinstance(correction.old, Shown)
            return bool(
                was_unread and correction.new and _without_card(correction.old) == _without_card(correction.new)
            )
        case _:
            return False


def _standing(form: CorrectionForm, story: Story, without: Collection[str] = ("overrule", "tick")) -> Observation:
    if not any(moment.n == form.n and moment.obs not in without for moment in story.standing):
        raise BadForm(_("That is no longer in the record. Check what is there now."))
    return story.reported(form.n or 0)


def _changed(old: Observation, form: CorrectionForm, story: Story) -> Observation:
    changed = {**to_json(old), **_observation_fields(type(old), form)}
    if cards := list(changed.get("cards", ())):
        changed["cards"] = [form.card if form.card and i == form.place else card for i, card in enumerate(cards)]
    if "n" in changed and changed["n"] != getattr(old, "n", None):
        changed.pop("cards", None)  # nobody knows which of them it was
    return _parse(changed, story)


def _observation_fields(kind: type[Observation], form: CorrectionForm) -> dict[str, Any]:
    """The fields of an observation that the form gives."""
    given = {**form.fields(), "n": form.count, "with": form.other}
    names = [item.name.rstrip("_") for item in fields(kind) if item.name not in NOT_ASKED]
    return {name: given[name] for name in names if given.get(name) is not None}


def _parse(observation_fields: Mapping[str, Any], story: Story) -> Observation:
    with possible():
        return parse_observation(observation_fields, len(story.header.seats))


def _changed_position(form: CorrectionForm, story: Story) -> dict[str, Any]:
    """The fields of the position that somebody changed in the form. The rest is ignored, because the game goes on while
    the form is filled in."""
    position, extra = story.moments[-1].position, form.extra()
    given: dict[str, Any] = {**form.fields(), **extra}
    changed = {name: value for name, value in given.items() if str(value) != extra.get(f"was-{name}", "")}
    position_fields = ("dealer", "turn", "draw_pile", "direction", "color", "top")
    values = {name: changed[name] for name in position_fields if name in changed}
    for name in ("hands", "scores"):
        by_seat = {i: changed[f"{name}-{i}"] for i in range(len(position[name])) if f"{name}-{i}" in changed}
        if by_seat:
            values[name] = {i: parse_number(text) for i, text in by_seat.items()}
    if not values:
        raise BadForm(_("This is the same as the record."))
    return values


def _without_card(observation: Observation) -> dict[str, Any]:
    return {name: value for name, value in to_json(observation).items() if name not in ("card", "cards")}


@dataclass(frozen=True, slots=True)
class Tasks:
    """The open tasks of a person on the page. ``unread``: lines with an unread card, without the top card; ``undo``:
    the last line, if the person may undo it; ``next_headlines``: the headline that would follow, by candidate for the
    top card; ``correctable``: the numbers of the lines that the person may correct; ``top``: the line of the top
    card, and what a correction of it is asked (``question``); ``likely``: by line, the `likely_faces` of its card."""

    unread: tuple[RecordLine, ...]
    undo: RecordLine | None
    next_headlines: Mapping[str, str]
    correctable: Collection[int] = ()
    top: int = 0
    question: str = ""
    likely: Mapping[int, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, story: Story, person: Person, table: LiveTableState) -> Tasks:
        """The tasks of ``person`` at the table."""
        candidates = table.candidates
        if not person.may("player"):
            return cls((), None, {})
        is_referee = person.may("referee")
        unread_lines = [one for one in record_lines(story) if one.unread and (is_referee or not one.cards)]
        if candidates and unread_lines:
            unread_lines = unread_lines[1:]  # the page asks for the top card separately
        undo = undoable_line(story)
        if undo is not None and not may_correct(Undo(story.reported(undo.n)), person, story):
            undo = None
        top = top_line(story)
        likely = {n: likely_faces(story, n, table) for n in (top, *(one.n for one in unread_lines))}
        may_be = candidates or (likely[top] if is_referee else ())
        return cls(
            tuple(unread_lines),
            undo,
            {face: next_headline(story, face) for face in may_be},
            frozenset(correctable(story) if is_referee else ()),
            top,
            question_of(story.moments[top], story),
            likely,
        )
