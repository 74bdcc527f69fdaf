"""The record as people correct it: which lines stand, what forms say, and what would come of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from croupier.cards import COLORS, FACES
from croupier.errors import BadForm, BadLog
from croupier.i18n import _, marked
from croupier.referee import Observation, parse_observation
from croupier.referee.corrections import Correction, Report, SetTo, Undo, Was, may_be_undone, unread
from croupier.referee.observations import NAMES, OBSERVATIONS, Overrule, Shown, Tick, to_json
from croupier.web.accounts import Person
from croupier.web.story import Foreseen, Story

REPORTED: Final = {
    "play": marked("a card was laid"),
    "drew": marked("cards were drawn"),
    "pass": marked("a turn was ended"),
    "color": marked("a color was named"),
    "uno": marked("somebody called UNO"),
    "accept": marked("a Wild Draw Four was taken"),
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
    "acted": marked("somebody did what the house rule asks"),
    "fault": marked("play stops"),
    "resumed": marked("play goes on"),
}
"""What a referee may report that no device saw, by the name of the observation."""

_NOT_ASKED: Final = ("t", "u", "cards")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the record that stands. ``unread``: the places of its cards that could not be read; ``cards``: how many
    it tells of, one by one."""

    n: int
    t: float
    name: str
    seen: str
    fields: Mapping[str, Any]
    unread: tuple[int, ...]
    cards: int
    may_be_undone: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """Something of the table that a correction would change."""

    what: str
    now: str
    then: str


def correctable(story: Story) -> list[int]:
    """The places of what stands of this round; what somebody set right, and mere time, is left out."""
    round_ = story.moments[-1].round
    return [one.n for one in story.standing if one.round == round_ and one.obs not in ("overrule", "tick")]


def lines(story: Story) -> list[Line]:
    """What may be corrected of this round, the newest first."""
    return [line(story, n) for n in reversed(correctable(story))]


def line(story: Story, n: int) -> Line:
    """The line that the moment ``n`` reported. Faces that not everybody may see are not in it."""
    moment, observation = story.moments[n], story.reported(n)
    assert moment.reported is not None
    said = to_json(moment.reported)
    asked = {item.name: said.get(item.name) for item in fields(observation) if item.name not in _NOT_ASKED}
    return Line(
        n=n,
        t=moment.t,
        name=NAMES[type(observation)],
        seen=story.told(moment).seen,
        fields=asked,
        unread=unread(observation),
        cards=len(observation.cards) if isinstance(observation, Shown) else 0,
        may_be_undone=may_be_undone(observation),
    )


def open_points(story: Story) -> list[Line]:
    """The lines of this round with a card that nobody could read; not the top card, which is asked apart."""
    return [one for one in lines(story) if one.unread]


def last_to_undo(story: Story) -> Line | None:
    """The last line that stands, if it may be undone."""
    if not story.standing or not (last := line(story, story.standing[-1].n)).may_be_undone:
        return None
    return last


def meant(what: str, form: Mapping[str, str], story: Story) -> Correction:
    """The correction that a form asks for: ``was``, ``never``, ``undo`` (of the line ``n``), ``set``, ``report``.

    Raises:
        BadForm: it makes no sense, with what was expected.
    """
    match what:
        case "was":
            old = story.reported(_standing(form, story))
            return Was(old, _otherwise(old, form, story))
        case "never":
            return Was(story.reported(_standing(form, story)), None)
        case "undo":
            return Undo(story.reported(_standing(form, story)))
        case "set":
            return SetTo(_fields(form, story))
        case "report" if (name := form.get("obs", "")) in REPORTED:
            said: dict[str, Any] = {"obs": name, "t": 0.0}
            if name == "fault":
                said |= {"device": "referee", "kind": "pause"}
            cards = [form[key] for key in sorted(form) if key.startswith("card-") and form[key]]
            if name == "shown":
                said["cards"] = cards
            return Report(_parsed(said | _values(OBSERVATIONS[name], form), story))
    raise BadForm(_("That cannot be done here."))


def may(correction: Correction, person: Person, story: Story) -> bool:
    """Whether the person may correct this: a referee anything, a player what he pressed himself and what nobody could
    read, but no card of a hand that is not for everybody."""
    if person.may("referee"):
        return True
    if person.role != "player":
        return False
    match correction:
        case Undo():
            return getattr(correction.old, "seat", None) == person.seat
        case Was():
            was_asked = unread(correction.old) and not isinstance(correction.old, Shown)
            return bool(was_asked and correction.new and _without_card(correction.old) == _without_card(correction.new))
        case _:
            return False


def differences(foreseen: Foreseen, story: Story) -> Iterator[Difference]:
    """What is otherwise after a correction, in the words of the table."""
    before, after = foreseen.before, foreseen.after
    for name, label in (
        ("phase", _("The game")),
        ("dealer", _("Deals")),
        ("turn", _("Turn")),
        ("direction", _("Direction")),
        ("top", _("Top card")),
        ("color", _("Color")),
        ("draw_pile", _("Draw pile")),
        ("discard_pile", _("Discard pile")),
        ("called", _("Called UNO")),
        ("catchable", _("No call!")),
        ("out", _("Out")),
    ):
        if before[name] != after[name]:
            yield Difference(label, _told(name, before[name], story), _told(name, after[name], story))
    for seat, name in enumerate(story.header.seats):
        now, then = before["hands"][seat], after["hands"][seat]
        if now != then:
            yield Difference(_("Cards of {name}", name=name), str(now), str(then))
        now, then = (position["owed"].get(str(seat), 0) for position in (before, after))
        if now != then:
            yield Difference(_("{name} still draws", name=name), str(now), str(then))
    for account, name in enumerate(story.accounts):
        now, then = before["scores"][account], after["scores"][account]
        if now != then:
            yield Difference(_("Points of {name}", name=name), str(now), str(then))
    for number in sorted({*before["house_rules"], *after["house_rules"]}):
        was, is_ = (position["house_rules"].get(number, "–") for position in (before, after))
        if was != is_:
            yield Difference(_("Rule for {number}", number=number), was, is_)


def _told(name: str, value: Any, story: Story) -> str:
    seats = story.header.seats
    match name:
        case "top" if value:
            return str(story.explainer.card(value))
        case "dealer" | "turn" if value is not None:
            return str(seats[value])
        case "called" | "catchable" | "out":
            return ", ".join(seats[seat] for seat in value) or "–"
        case "color" if value:
            return _(value)
        case "direction":
            return _("to the left") if value == "left" else _("to the right")
        case "phase":
            return _(PHASES[value])
        case _:
            return "–" if value is None else str(value)


PHASES: Final = {
    "pick": marked("Who deals?"),
    "deal": marked("Dealing"),
    "upcard": marked("First card"),
    "turn": marked("a card is laid or drawn"),
    "drawn": marked("a card was drawn"),
    "color": marked("a color is to be named"),
    "challenge": marked("Challenge?"),
    "redeal": marked("Shuffle Hands"),
    "paused": marked("Paused"),
    "round_over": marked("Round over"),
    "game_over": marked("Game over"),
}
"""What the game is at, by the position's ``phase``."""


def _standing(form: Mapping[str, str], story: Story) -> int:
    said = form.get("n", "")
    n = int(said) if said.isascii() and said.isdigit() and len(said) < 10 else 0
    if not any(moment.n == n for moment in story.standing) or isinstance(story.reported(n), Overrule | Tick):
        raise BadForm(_("That is no longer in the record. Look again at what is there now."))
    return n


def _otherwise(old: Observation, form: Mapping[str, str], story: Story) -> Observation:
    said = to_json(old) | _values(type(old), form)
    cards = list(said.get("cards", ()))
    for place in range(len(cards)):
        cards[place] = form.get(f"card-{place}") or cards[place]
    if cards:
        said["cards"] = cards
    if "n" in said and said["n"] != getattr(old, "n", None):
        said.pop("cards", None)  # which of them it was nobody knows now
    return _parsed(said, story)


def _values(kind: type[Observation], form: Mapping[str, str]) -> dict[str, Any]:
    """The fields of an observation as a form says them; what is left empty is not said."""
    said: dict[str, Any] = {}
    for item in fields(kind):
        name = "count" if item.name == "n" else item.name  # in a form, n is the line
        if item.name not in _NOT_ASKED and (text := form.get(name, "").strip()):
            said[item.name] = _number(text) if item.name in ("seat", "n", "number") else text
    return said


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise BadForm(_("Expected a number instead of {what}.", what=text))
    return int(text)


def _parsed(said: Mapping[str, Any], story: Story) -> Observation:
    try:
        return parse_observation(said, len(story.header.seats))
    except BadLog as err:
        raise BadForm(_("That cannot be: {why}.", why=err)) from err


def _fields(form: Mapping[str, str], story: Story) -> dict[str, Any]:
    """What a form says of the position. Only what somebody changed counts, since the game goes on while it is filled
    in: ``was-NAME`` is what stood in the field when it was shown."""
    position = story.moments[-1].position
    changed = {
        name: text.strip()
        for name, text in form.items()
        if text.strip() and not name.startswith("was-") and text.strip() != form.get(f"was-{name}", "")
    }
    said: dict[str, Any] = {}
    for name in ("hands", "scores"):
        by_seat = {i: changed.get(f"{name}-{i}") for i in range(len(position[name]))}
        if given := {i: _number(text) for i, text in by_seat.items() if text}:
            said[name] = given
    for name in ("dealer", "turn", "draw_pile"):
        if name in changed:
            said[name] = _number(changed[name])
    for name, allowed in (("direction", ("left", "right")), ("color", COLORS), ("top", FACES)):
        if name in changed:
            if changed[name] not in allowed:
                raise BadForm(_("That cannot be done here."))
            said[name] = changed[name]
    if not said:
        raise BadForm(_("Nothing of this is otherwise than the record has it."))
    return said


def _without_card(observation: Observation) -> dict[str, Any]:
    return {name: value for name, value in to_json(observation).items() if name not in ("card", "cards")}
