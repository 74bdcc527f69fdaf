"""Addresses for whoever does something at the table with one press: keys, the card on top, who deals, voice, faults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from fastapi import APIRouter, HTTPException, Response

from croupier.cards import FACES
from croupier.commands import (
    PAGE_KEYS,
    ChooseDealer,
    Command,
    CountFedCards,
    LayCard,
    Loudness,
    MakeHouseRule,
    NameCard,
    PressKey,
    ProvokeFault,
    ShowCards,
    StartGame,
)
from croupier.i18n import _
from croupier.referee.corrections import Report, SetTo, TopIs, Undo, Was
from croupier.web.accounts import Person
from croupier.web.context import Form, Ground, Who, says
from croupier.web.desk import Desk

What = Literal["press", "card", "dealer", "rule", "voice", "laid", "opened", "counted", "fault"]

_FORM: Final = says(
    seat=int, key=PAGE_KEYS, card=FACES, number=int, text=str, volume=int, muted=("yes", "no"), count=int, fault=str
)


def wishing(ground: Ground) -> APIRouter:
    """What is done at the table."""
    app = APIRouter()

    @app.post("/wishes/{what}", status_code=204, openapi_extra=_FORM)
    async def wish(what: What, form: Form, person: Who) -> Response:
        """Do something at the table: press a key, say which card it is, who deals, what a rule is, how loud the voice,
        or provoke a fault."""
        desk = ground.played()
        meant = _meant(what, form, len(ground.told(desk.game).header.seats))
        if not _allowed(meant, person, desk):
            raise HTTPException(403, _("That is for others to do. Come in with your code first."))
        desk.wish(meant)
        if isinstance(meant, Loudness):  # which stands in no log
            ground.following.ring()
        return Response(status_code=204)

    return app


def _meant(what: str, form: Mapping[str, str], seats: int) -> Command:
    def number(name: str, end: int) -> int:
        said = form.get(name, "")
        if not (said.isascii() and said.isdigit() and len(said) <= 4 and int(said) < end):
            raise HTTPException(422, _("Expected {name}, 0 to {most}.", name=name, most=end - 1))
        return int(said)

    match what:
        case "press" if (key := form.get("key")) in PAGE_KEYS:
            return PressKey(number("seat", seats), key)  # type: ignore[arg-type]  # it is one of them
        case "card" if (card := form.get("card")) in FACES:
            return NameCard(card)
        case "dealer":
            return ChooseDealer(number("seat", seats))
        case "rule" if text := form.get("text", "").strip()[:200]:
            return MakeHouseRule(number("seat", seats), number("number", 10), text)
        case "voice" if (muted := form.get("muted")) in ("yes", "no"):
            return Loudness(number("volume", 101), muted == "yes")
        case "laid" if (card := form.get("card")) in FACES:
            return LayCard(card, number("seat", seats) if form.get("seat") else None)
        case "opened":
            cards = [form[key] for key in sorted(form) if key.startswith("card-") and form[key]]
            if all(card in FACES for card in cards):
                return ShowCards(number("seat", seats), tuple(cards))
        case "counted":
            return CountFedCards(number("count", 1000))
        case "fault" if fault := form.get("fault"):
            return ProvokeFault(fault)
    raise HTTPException(422, _("That cannot be done here."))


def _allowed(wish: Command, person: Person, desk: Desk) -> bool:
    match wish:
        case PressKey() | MakeHouseRule():
            return person.may("referee") or (person.role == "player" and person.seat == wish.seat)
        case NameCard():
            # What nobody could read, any player may settle; what was read, the referee corrects.
            return person.may("player" if desk.candidates else "referee")
        case ChooseDealer() | CountFedCards():
            return person.may("player")
        case Loudness():
            return person.may("player") and desk.loudness is not None
        case LayCard():
            return not desk.has_camera and (person.may("referee") or person.seat is not None)
        case ShowCards():
            is_own = person.role == "player" and person.seat == wish.seat
            return not desk.has_camera and (person.may("referee") or is_own)
        case TopIs() | Was() | Undo() | SetTo() | Report() | StartGame():
            return False  # it is shown first what comes of it: `recording`, `beginning`
        case ProvokeFault():
            return desk.is_simulation and person.may("referee") and wish.fault in desk.faults
