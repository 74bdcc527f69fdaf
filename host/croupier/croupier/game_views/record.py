"""The record of the round: the lines that stand, and what a correction would change."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields
from typing import Any, Final

from croupier.errors import BadLog, CannotCorrect
from croupier.game_views.story import Moment, Preview, Story
from croupier.game_views.view import headline
from croupier.i18n import _, marked
from croupier.table_api.live_table import LiveTableState
from croupier_rules.cards import UNREAD
from croupier_rules.referee.corrections import TopIs, may_be_undone, unread
from croupier_rules.referee.observations import Play, Shown, to_json

NOT_ASKED: Final = ("t", "u", "cards")
"""Fields of observations that nobody corrects one by one."""


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
            for name in (item.name.rstrip("_") for item in fields(observation) if item.name not in NOT_ASKED)
        },
        unread=unread(observation),
        cards=len(observation.cards) if isinstance(observation, Shown) else 0,
        question=question_of(moment, story),
    )


def question_of(moment: Moment, story: Story) -> str:
    """Return the questions for a correction of the line of a moment."""
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
    "target": marked("who draws is to be chosen"),
    "discard": marked("all cards of the color are to be laid"),
    "roulette": marked("cards are turned up until a color comes"),
    "redeal": marked("Shuffle Hands"),
    "paused": marked("Paused"),
    "round_over": marked("Round over"),
    "game_over": marked("Game over"),
}
"""Texts of the phases: what the game waits for."""


def next_headline(story: Story, face: str) -> str:
    """The headline that would follow if the top card were ``face``; "" if it cannot be."""
    with suppress(CannotCorrect, BadLog):
        position = story.preview(TopIs(face)).after
        name = "" if position["turn"] is None else story.header.seats[position["turn"]]
        return _("Then: {what}", what=headline(position, name))
    return ""
