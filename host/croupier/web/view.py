"""What the page shows of a moment, ready for its templates: names, numbers, places, sentences; nothing secret."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from croupier.cards import COLORS, DECKS, SHAPES
from croupier.i18n import _, language
from croupier.referee import Explainer
from croupier.web import geometry
from croupier.web.geometry import Spot
from croupier.web.story import Moment, Story, Telling

_SIGNS: Final = {"draw2": "+2", "draw4": "+4", "shuffle": "↻", "blank": "", "house": "§", "wild": ""}
"""What stands on cards that are no numbers; skip and reverse are drawn."""

_SHORT: Final = 12
_HEADLINE: Final = 20
"""Letters of a name on its plate, and in a headline that is read from across the room."""
_LONGEST: Final = 80
"""Letters of a headline for which there is room."""
_LINES: Final = 8


@dataclass(frozen=True, slots=True)
class Card:
    """A face for drawing: ``color`` (``wild`` for those without), what stands on it, its mark, and its name."""

    face: str
    color: str
    sign: str
    shape: str
    name: str


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat of the table."""

    number: int
    name: str
    short: str
    cards: int
    score: int | None
    owes: int
    is_on_turn: bool
    is_dealer: bool
    has_called: bool
    may_be_caught: bool
    is_out: bool
    plate: Spot
    fan: tuple[Spot, ...]

    @property
    def states(self) -> tuple[str, ...]:
        """What there is to say of the seat beside its cards, in words."""
        said = (
            (self.is_out, _("out")),
            (self.may_be_caught, _("no call!")),
            (self.has_called and self.cards > 0, _("UNO")),
            (bool(self.owes), _("draws {n}", n=self.owes)),
        )
        return tuple(text for is_so, text in said if is_so)


@dataclass(frozen=True, slots=True)
class Lamp:
    """One light of the ring."""

    spot: Spot
    is_lit: bool


@dataclass(frozen=True, slots=True)
class View:
    """The table at a moment. ``lines``: the last moments with a word of the referee, the newest first; ``rulable``: the
    numbers for which a house rule may be made or changed with the card on top; ``runs``: whether one runs for it."""

    moment: Moment
    last: int
    seats: tuple[Seat, ...]
    on_turn: Seat | None
    headline: str
    standing: str
    color: str | None
    shape: str
    top: Card | None
    direction: str
    arrows: tuple[str, ...]
    lamps: tuple[Lamp, ...]
    draw_pile: int
    discard_pile: int
    lines: tuple[Telling, ...]
    house_rules: tuple[tuple[str, str], ...]
    most_house_rules: int
    rulable: tuple[str, ...]
    runs: bool


def seen(story: Story, n: int | None = None) -> View:
    """The table of ``story`` after ``n`` observations; ``None``: as it is now."""
    moment = story.at(n)
    position = moment.position
    count = len(story.header.seats)
    turn = position["turn"] if position["phase"] not in ("round_over", "game_over", "pick", "deal") else None
    seats = tuple(_seat(story, moment, seat, turn) for seat in range(count))
    on_turn = None if turn is None else seats[turn]
    lit = frozenset() if turn is None else geometry.lit(turn, count)
    color = position["color"]
    return View(
        moment=moment,
        last=len(story),
        seats=seats,
        on_turn=on_turn,
        headline=_winner(story, moment) or headline(position, _shortened(on_turn.name, _HEADLINE) if on_turn else ""),
        standing=story.explainer.standing(position),
        color=color,
        shape=SHAPES.get(color or "", "none"),
        top=card(position["top"], story) if position["top"] else None,
        direction=position["direction"],
        arrows=_arrows(position["direction"]),
        lamps=tuple(Lamp(spot, i in lit) for i, spot in enumerate(geometry.LAMP_SPOTS)),
        draw_pile=position["draw_pile"],
        discard_pile=position["discard_pile"],
        lines=_last_words(story, moment),
        house_rules=tuple((number, text) for number, text in position["house_rules"].items()),
        most_house_rules=story.header.ruleset.most_house_rules,
        rulable=_rulable(position, story.header.ruleset.most_house_rules),
        runs=_number(position["top"]) in position["house_rules"],
    )


def card(face: str, story: Story) -> Card:
    """The face for drawing; ``?`` and ``back`` too."""
    color, _dash, symbol = face.rstrip("*").partition("-")
    if color not in COLORS:
        color = "wild" if color == "wild" else "unknown"
    sign = _SIGNS.get(symbol, symbol) if color != "unknown" else "?"
    return Card(face, color, sign, SHAPES.get(color, "none"), story.explainer.card(face))


def faces_of(story: Story) -> list[tuple[str, str]]:
    """The faces of the deck and their names, for choosing."""
    return [(face, str(story.explainer.card(face))) for face in DECKS[story.header.ruleset.deck]]


def _seat(story: Story, moment: Moment, seat: int, turn: int | None) -> Seat:
    position, count = moment.position, len(story.header.seats)
    name = story.header.seats[seat]
    scores = position["scores"]
    return Seat(
        number=seat,
        name=name,
        short=_shortened(name, _SHORT),
        cards=position["hands"][seat],
        score=scores[seat] if len(scores) == count else None,
        owes=position["owed"].get(str(seat), 0),
        is_on_turn=seat == turn,
        is_dealer=seat == position["dealer"],
        has_called=seat in position["called"],
        may_be_caught=seat in position["catchable"],
        is_out=seat in position["out"],
        plate=geometry.on_oval(geometry.PLATES, geometry.seat_angle(seat, count)),
        fan=geometry.fan(seat, count, position["hands"][seat]),
    )


def headline(position: Mapping[str, Any], name: str) -> str:
    """The one thing that everybody wants to know; ``name``: of whose turn it is."""
    said = {
        "pick": _("Who deals?"),
        "deal": _("Dealing"),
        "upcard": _("First card"),
        "turn": _("{name}’s turn", name=name),
        "drawn": _("{name} drew", name=name),
        "color": _("{name} names a color", name=name),
        "challenge": _("Challenge?"),
        "redeal": _("Shuffle Hands"),
        "paused": _("Paused"),
        "round_over": _("Round over"),
        "game_over": _("Game over"),
    }
    return said[position["phase"]]


def _winner(story: Story, moment: Moment) -> str:
    """Who has won, once the game is over; empty where nobody said it, or where so many share it that it is no headline:
    the referee's last word has all of them."""
    won = story.won_at(moment) if moment.position["phase"] == "game_over" else None
    if won is None:
        return ""
    letters = _SHORT if won.seat is None else _HEADLINE
    header = replace(story.header, seats=tuple(_shortened(name, letters) for name in story.header.seats))
    said = Explainer(header, language()).said(won).text.removesuffix(".")
    return said if len(said) <= _LONGEST else ""


def _shortened(name: str, letters: int) -> str:
    return name if len(name) <= letters else name[: letters - 1] + "…"


def _rulable(position: Mapping[str, Any], most: int) -> tuple[str, ...]:
    """With the house wild those that have a rule; with the icon the number of the card, while it has none."""
    top, ruled = position["top"] or "", position["house_rules"]
    if top == "wild-house":
        return tuple(ruled)
    number = _number(top)
    return (number,) if top.endswith("*") and number not in ruled and len(ruled) < most else ()


def _number(top: str | None) -> str:
    return (top or "").rstrip("*").partition("-")[2]


def _arrows(direction: str) -> tuple[str, ...]:
    ends = [(205.0, 250.0), (290.0, 335.0), (25.0, 70.0), (110.0, 155.0)]
    return tuple(geometry.arrow(*(way if direction == "left" else way[::-1])) for way in ends)


def _last_words(story: Story, moment: Moment) -> tuple[Telling, ...]:
    found: list[Telling] = []
    for earlier in reversed(story.moments[: moment.n + 1]):
        if earlier.ruled or earlier.obs in ("fault", "resumed", "overrule"):
            found.append(story.told(earlier))
            if len(found) == _LINES:
                break
    return tuple(found)
