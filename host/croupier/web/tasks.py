"""What somebody at the table is asked to settle on the page, and may do there now."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from croupier.errors import BadLog, CannotCorrect
from croupier.i18n import _
from croupier.referee.corrections import TopIs, Undo
from croupier.web.accounts import Person
from croupier.web.record import Line, correctable, last_to_undo, may, open_points
from croupier.web.story import Story
from croupier.web.view import headline


@dataclass(frozen=True, slots=True)
class Tasks:
    """``unread``: the lines with a card that nobody could read, but for the top card; ``undo``: the last line, where
    the person may undo it; ``comes``: what would be next, by what the top card may be; ``otherwise``: the places of
    the lines that the person may say were otherwise."""

    unread: tuple[Line, ...]
    undo: Line | None
    comes: Mapping[str, str]
    otherwise: Collection[int] = ()

    @classmethod
    def of(cls, story: Story, person: Person, candidates: Sequence[str]) -> Tasks:
        """What there is to do for this person, while the top card may be one of ``candidates``."""
        if not person.may("player"):
            return cls((), None, {})
        unread = [one for one in open_points(story) if person.may("referee") or not one.cards]
        if candidates and unread:
            unread = unread[1:]  # the top card is asked by itself
        undo = last_to_undo(story)
        if undo is not None and not may(Undo(story.reported(undo.n)), person, story):
            undo = None
        otherwise = frozenset(correctable(story) if person.may("referee") else ())
        return cls(tuple(unread), undo, {face: _comes(story, face) for face in candidates}, otherwise)


def _comes(story: Story, face: str) -> str:
    with suppress(CannotCorrect, BadLog):
        position = story.foreseen(TopIs(face)).after
        name = "" if position["turn"] is None else story.header.seats[position["turn"]]
        return _("Then: {what}", what=headline(position, name))
    return ""
