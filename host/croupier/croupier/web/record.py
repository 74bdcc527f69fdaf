"""Corrections of the record: lines that stand, forms, permissions, and the effect of a correction."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Final, Literal

from croupier.errors import BadForm, BadLog, CannotCorrect
from croupier.game_views.story import Moment, Preview, Story
from croupier.game_views.view import headline
from croupier.i18n import _, marked
from croupier.table_api.live_table import LiveTableState
from croupier.web.accounts import Person
from croupier.web.forms import Face, Number, OneOf, OpenForm, Text, parse_number, possible
from croupier_rules.cards import COLORS, UNREAD
from croupier_rules.referee import Observation, parse_observation
from croupier_rules.referee.corrections import Correction, Report, SetTo, TopIs, Undo, Was, may_be_undone, unread
from croupier_rules.referee.observations import OBSERVATIONS, Play, Shown, to_json

REPORTS: Final = {
    "play": marked("a card was played"),
    "drew": marked("cards were drawn"),
    "swap": marked("hands were swapped after a seven"),
    "discarded": marked("cards were laid under a Discard All"),
    "pass": marked("a turn was ended"),
    "color": marked("a color was named"),
    "uno": marked("somebody called UNO"),
    "accept": marked("a Wild Draw Four was accepted"),
    "challenge": marked("a Wild Draw Four was challenged"),
    "shown": marked("a hand was shown"),
    "hint": marked("somebody told another what to play"),
    "pick": marked("a card was drawn for the deal"),
    "dealt": marked("cards were dealt"),
    "upcard": marked("the first card was turned up"),
    "recycled": marked("the discard pile became the draw pile"),
    "redealt": marked("cards were dealt after Shuffle Hands"),
    "house_rule": marked("a house rule was made"),
    "decline": marked("no house rule was made"),
    "acted": marked("somebody obeyed the house rule"),
    "fault": marked("play is stopped"),
    "resumed": marked("play goes on"),
}
"""Observations that a referee may add, because no device saw what happened."""

_NOT_ASKED: Final = ("t", "u", "cards")

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
    color: Annotated[str, OneOf(COLORS)] | None = None
    number: Number | None = None
    text: Text | None = None
    turn: Number | None = None
    dealer: Number | None = None
    top: Face | None = None
    direction: Literal["left", "right"] | None = None
    draw_pile: Number | None = None


@dataclass(frozen=True, slots=True)
class RecordLine:
    """A line of the record that stands. ``unread``: the indices of its cards that could not be read; ``cards``: the
    number of its cards that are listed one by one; ``question``: what a correction of it is asked."""

    n: int
    t: float
    seen: str
    fields: Mapping[str, Any]
    unread: tuple[int, ...]
    cards: int
    question: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Something at the table that a correction would change."""

    what: str
    now: str
    then: str


def correctable(story: Story) -> list[int]:
    """The numbers of the lines of this round that stand, without corrections and ticks."""
    round_ = story.moments[-1].round
    return [one.n for one in story.standing if one.round == round_ and one.obs not in ("overrule", "tick")]


def record_lines(story: Story) -> list[RecordLine]:
    """The lines of this round that may be corrected, newest first."""
    return [record_line(story, n) for n in reversed(correctable(story))]


def record_line(story: Story, n: int) -> RecordLine:
    """The line of the moment ``n``, without hidden faces."""
    moment, observation = story.moments[n], story.reported(n)
    assert moment.reported is not None
    public = to_json(moment.reported)
    return RecordLine(
        n=n,
        t=moment.t,
        seen=story.describe(moment).seen,
        fields={
            name: public.get(name)
            for name in (item.name.rstrip("_") for item in fields(observation) if item.name not in _NOT_ASKED)
        },
        unread=unread(observation),
        cards=len(observation.cards) if isinstance(observation, Shown) else 0,
        question=_question(moment, story),
    )


def _question(moment: Moment, story: Story) -> str:
    card = getattr(moment.reported, "card", None)
    if card is None:
        return _("What was it really?")
    if card == UNREAD:
        return _("Which card is it?")
    if isinstance(moment.reported, Play) and moment.actor is not None:
        return _("{name}’s {card} is really …", name=moment.names[moment.actor], card=story.explainer.card(card))
    return _("{card} is really …", card=story.explainer.card(card))


def likely_faces(story: Story, n: int, table: LiveTableState) -> list[str]:
    """The faces that the card of the line ``n`` may show by what the camera saw, without the one in the record and
    those that are not in the game. Empty for what people reported."""
    moment = story.moments[n]
    card = getattr(moment.reported, "card", None)
    seen = next((faces for t, faces in table.sightings if t == story.first(moment).t), ())
    return [face for face in seen if face != card and face in story.header.ruleset.faces] if card else []


def top_line(story: Story) -> int:
    """The number of the line of the top card; 0 without one."""
    return next((one.n for one in reversed(story.standing) if one.obs in ("play", "upcard")), 0)


def undoable_line(story: Story) -> RecordLine | None:
    """The last line that stands, if it may be undone."""
    last = story.standing[-1].n if story.standing else 0
    return record_line(story, last) if last and may_be_undone(story.reported(last)) else None


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
    """Whether the person may make this correction. A referee may make any; a player may undo the own presses and name
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


def differences(preview: Preview, story: Story) -> Iterator[Difference]:
    """The changes that a correction would make to the position."""
    for (what, now), (_what, then) in zip(_facts(preview.before, story), _facts(preview.after, story), strict=True):
        if now != then:
            yield Difference(what, now, then)


def _facts(position: Mapping[str, Any], story: Story) -> Iterator[tuple[str, str]]:
    """Yield name and value of each fact of a position; the same names in the same order for every position of a
    game."""
    names = story.header.seats

    def seats(listed: Collection[int | None]) -> str:
        return ", ".join(names[seat] for seat in listed if seat is not None) or "–"

    phase, color = PHASES[position["phase"]], position["color"]
    yield _("The game"), _(phase)
    yield _("Deals"), seats([position["dealer"]])
    yield _("Turn"), seats([position["turn"]])
    yield _("Direction"), _("to the left") if position["direction"] == "left" else _("to the right")
    yield _("Top card"), story.explainer.card(position["top"]) if position["top"] else "–"
    yield _("Color"), _(color) if color else "–"
    yield _("Draw pile"), str(position["draw_pile"])
    yield _("Discard pile"), str(position["discard_pile"])
    yield _("Stacked draw cards: to draw"), str(position.get("stack", 0))
    yield _("Called UNO"), seats(position["called"])
    yield _("No call!"), seats(position["catchable"])
    yield _("Out"), seats(position["out"])
    for seat, name in enumerate(names):
        yield _("Cards of {name}", name=name), str(position["hands"][seat])
        yield _("{name} still draws", name=name), str(position["owed"].get(str(seat), 0))
    for account, name in enumerate(story.accounts):
        yield _("Points of {name}", name=name), str(position["scores"][account])
    for number in map(str, range(10)):
        yield _("Rule for {number}", number=number), position["house_rules"].get(number, "–")


PHASES: Final = {
    "pick": marked("Who deals?"),
    "deal": marked("Dealing"),
    "upcard": marked("First card"),
    "turn": marked("a card is to be played or drawn"),
    "drawn": marked("a card was drawn"),
    "color": marked("a color is to be named"),
    "challenge": marked("Challenge?"),
    "stack": marked("a draw card may be answered"),
    "swap": marked("hands are to be swapped"),
    "discard": marked("all cards of the color are to be laid"),
    "roulette": marked("cards are turned up until a color comes"),
    "redeal": marked("Shuffle Hands"),
    "paused": marked("Paused"),
    "round_over": marked("Round over"),
    "game_over": marked("Game over"),
}
"""Texts of the phases: what the game waits for."""


def _standing(form: CorrectionForm, story: Story, without: Collection[str] = ("overrule", "tick")) -> Observation:
    if not any(moment.n == form.n and moment.obs not in without for moment in story.standing):
        raise BadForm(_("That is no longer in the record. Check what is there now."))
    return story.reported(form.n or 0)


def _changed(old: Observation, form: CorrectionForm, story: Story) -> Observation:
    changed = to_json(old) | _observation_fields(type(old), form)
    if cards := list(changed.get("cards", ())):
        changed["cards"] = [form.card if form.card and i == form.place else card for i, card in enumerate(cards)]
    if "n" in changed and changed["n"] != getattr(old, "n", None):
        changed.pop("cards", None)  # nobody knows which of them it was
    return _parse(changed, story)


def _observation_fields(kind: type[Observation], form: CorrectionForm) -> dict[str, Any]:
    """The fields of an observation that the form gives."""
    given = {**form.fields(), "n": form.count, "with": form.other}
    names = [item.name.rstrip("_") for item in fields(kind) if item.name not in _NOT_ASKED]
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
            {face: _next_headline(story, face) for face in may_be},
            frozenset(correctable(story) if is_referee else ()),
            top,
            _question(story.moments[top], story),
            likely,
        )


def _next_headline(story: Story, face: str) -> str:
    with suppress(CannotCorrect, BadLog):
        position = story.preview(TopIs(face)).after
        name = "" if position["turn"] is None else story.header.seats[position["turn"]]
        return _("Then: {what}", what=headline(position, name))
    return ""
