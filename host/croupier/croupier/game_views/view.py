"""The view of one moment of a game, ready for the templates: names, numbers, places, sentences.

A view holds no secrets, because a `Moment` holds none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import Any, Final

from croupier.alarms import problem_text
from croupier.game_views import geometry
from croupier.game_views.open_hands import hands_due, sight
from croupier.game_views.signs import NOBODY, Mark, Sign, signs_of
from croupier.game_views.story import Moment, MomentText, Story
from croupier.i18n import _, language, ngettext
from croupier.names import count_letters, shorten
from croupier.table_api.live_table import LiveTableState
from croupier_rules.cards import CARDS, COLORS, DECKS, KEYS, MARKS, OWN_SYMBOLS, symbol_of
from croupier_rules.referee import Explainer
from croupier_rules.referee.observations import Fault, Resumed
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import RoundOver, ShowHand
from croupier_rules.rules.card_tables import card_tables

_SIGNS: Final = {"draw2": "+2", "draw4": "+4", "shuffle": "↻", "blank": "", "house": "§", "wild": ""}
"""The text on cards without a number; skip and reverse are drawn."""

_PLATE_LETTERS: Final = 12
_HEADLINE_LETTERS: Final = 20
"""The longest name on a plate, and in a headline that is read from across the room."""
_MAX_HEADLINE: Final = 80
"""Letters of the longest headline that fits."""
_SHOWN_MOMENTS: Final = 8
_PLAYED: Final = ("turn", "drawn", "color", "challenge", "stack", "swap", "target", "discard", "roulette")


@dataclass(frozen=True, slots=True)
class Card:
    """A face for drawing: ``color`` (``wild`` for those without), the text on it, the shape of its mark, its name."""

    face: str
    color: str
    sign: str
    shape: str
    name: str


class Seat:
    """A seat of the table at a moment. ``score``: None if teams are counted; ``owes``: cards still to be drawn;
    ``may_take``: those that it takes unless it answers the draw card; ``may_call``: an UNO call of it would count now,
    without telling it whom it may catch where the table does not; ``uncalled``: the seats of which is shown that they
    have not called;
    ``states``: in words; ``plate``: the place of the name plate."""

    def __init__(
        self, story: Story, moment: Moment, number: int, turn: int | None, sign: Sign, uncalled: Collection[int]
    ) -> None:
        position, names = moment.position, moment.names
        self.sign = sign
        self.number, self.name, self.short = number, names[number], shorten(names[number], _PLATE_LETTERS)
        self.short_letters = count_letters(self.short)
        self.cards: int = position["hands"][number]
        self.score: int | None = position["scores"][number] if len(position["scores"]) == len(names) else None
        self.owes: int = position["owed"].get(str(number), 0)
        self.may_take: int = position.get("stack", 0) if position["phase"] == "stack" and number == turn else 0
        self.is_on_turn, self.is_dealer = number == turn, number == position["dealer"]
        self.is_out = number in position["out"]
        sits_nobody = number in (story.header.given or {}).get("out", ())
        states = (
            (self.is_out, _("nobody sits here") if sits_nobody else _("out")),
            (number in uncalled, _("no call!")),
            (number in position["called"] and self.cards > 0, _("UNO")),
            (bool(self.owes), _("draws {n}", n=self.owes)),
            (bool(self.may_take), _("{n} to draw", n=self.may_take)),
        )
        self.states = tuple(text for is_shown, text in states if is_shown)
        calls = self.cards == 1 or (self.cards == 2 and self.is_on_turn)
        is_caught = any(other != number for other in position["catchable"] if other in uncalled)
        self.may_call = not self.is_out and ((calls and number not in position["called"]) or is_caught)
        self.plate = geometry.on_oval(geometry.PLATES, geometry.seat_angle(number, len(names)))
        self._seats = len(names)

    @property
    def fan(self) -> tuple[geometry.Spot, ...]:
        """The places of the cards."""
        return geometry.fan(self.number, self._seats, self.cards)


class TableView:
    """The table of ``story`` after ``n`` observations; ``None``: now. ``reader``: the seat of the player who is
    addressed by its sentences. ``known``: the marks of people (`croupier.game_views.signs`).
    ``no_call``: when it shows that UNO was not called (`croupier.table_api.live_table.LiveTableState`).

    ``lamps``: the place of each lamp of the ring, and whether it is lit; ``in_turn``: the seats in the order of their
    turns, from that on turn; ``is_played``: a round is being played; ``may_draw``: whether the seat on turn may draw;
    ``duel``: the seat that shows its hand after a challenge, and the challenger; ``signs``: of the players, by seat.
    """

    def __init__(
        self,
        story: Story,
        n: int | None = None,
        reader: int | None = None,
        known: Mapping[str, Mark] = NOBODY,
        no_call: str = "at-once",
    ) -> None:
        self._story, self._reader, self.moment = story, reader, story.at(n)
        moment = self.moment
        position, count = moment.position, len(story.header.seats)
        state = Position.from_json(position)
        turn = position["turn"] if position["phase"] not in ("round_over", "game_over", "pick", "deal") else None
        self.duel = _duel(story, moment)
        if position["phase"] == "challenge" and self.duel is None:
            turn = state.next_seat
        self.signs = signs_of(moment.names, known)
        uncalled = _uncalled(story, moment, no_call)
        self.seats = tuple(Seat(story, moment, seat, turn, self.signs[seat], uncalled) for seat in range(count))
        self.on_turn = None if turn is None else self.seats[turn]
        self.in_turn = tuple(self.seats[((turn or 0) + state.step * i) % count] for i in range(count))
        self.headline = self._headline(story)
        self.standing = story.explainer.to_player(reader).standing(position)
        self.color: str | None = position["color"] if position["phase"] not in ("round_over", "game_over") else None
        self.colors = deck_colors(story)
        self.color_sign = next((one for one in self.colors if one.color == self.color), None)
        self.shape = "none" if self.color_sign is None else self.color_sign.shape
        self.top = card_view(position["top"], story) if position["top"] else None
        self.direction: str = position["direction"]
        self.arrows = tuple(
            geometry.arrow(*(way if self.direction == "left" else way[::-1])) for way in geometry.ARROW_ENDS
        )
        lit = frozenset() if turn is None else geometry.lit_lamps(turn, count)
        self.lamps = tuple((spot, i in lit) for i, spot in enumerate(geometry.LAMP_SPOTS))
        self.draw_pile: int = position["draw_pile"]
        self.discard_pile: int = position["discard_pile"]
        rules, phase = story.header.ruleset, position["phase"]
        is_drawing_on = rules.value("turn.must_draw") == "until-it-fits"
        self.may_draw = phase in ("turn", "roulette") or (phase == "drawn" and is_drawing_on)
        self.is_played = phase in _PLAYED
        self.max_house_rules = story.header.ruleset.most_house_rules
        self.house_rules = tuple(position["house_rules"].items())

    @cached_property
    def moments(self) -> tuple[MomentText, ...]:
        """The last moments with a ruling, newest first."""
        return _last_moments(self._story, self.moment, self._reader)

    @property
    def last_act(self) -> MomentText | None:
        """The last moment at which somebody did something, if it belongs to the headline; an older ruling does not."""
        last = self._story.last_act(self.moment)
        return None if last is None else self._story.describe(last, self._reader)

    @property
    def symbol(self) -> str:
        """What the up-card shows beside its color, in words."""
        symbol = "" if self.top is None else self.top.face.rstrip("*").partition("-")[2]
        return symbol if symbol.isdigit() or not symbol else self._story.explainer.action(symbol)

    def _headline(self, story: Story) -> str:
        """The state of the game in a few words, with the name of who is awaited or has won."""
        position = self.moment.position
        on_turn = None if self.on_turn is None else self.on_turn.number
        seat = round_winner(story, self.moment) if self.moment.is_over else on_turn
        name = "" if seat is None else shorten(self.moment.names[seat], _HEADLINE_LETTERS)
        match position["phase"]:
            case "challenge" if self.duel is None:
                return _("{name} takes or challenges", name=name)
            case "challenge":
                return _("{name} shows the hand", name=name)
            case "round_over" if name:
                return _("{name} wins the round", name=name)
            case _:
                return _winner_headline(story, self.moment) or headline(position, name)


def card_view(face: str, story: Story) -> Card:
    """A face for drawing, including ``?`` and ``back``."""
    color, _dash, symbol = face.rstrip("*").partition("-")
    if color not in MARKS:
        color = "wild" if color == "wild" else "unknown"
    sign = _SIGNS.get(symbol, symbol) if color != "unknown" else "?"
    if (own := symbol_of(face)) in OWN_SYMBOLS:
        sign = CARDS[own]["sign"]
    return Card(face, KEYS.get(color, color), sign, MARKS.get(color, "none"), story.explainer.card(face))


@dataclass(frozen=True, slots=True)
class ColorSign:
    """A color of the deck as the page shows it: in words (``name``), with its mark (``shape``), and painted as the
    ``key`` that names it."""

    color: str
    key: str
    shape: str
    name: str


def deck_colors(story: Story) -> tuple[ColorSign, ...]:
    """The colors of the deck."""
    colors = card_tables(story.header.ruleset.deck).colors
    return tuple(ColorSign(color, KEYS[color], MARKS[color], color_name(color, story)) for color in colors)


def color_name(color: str, story: Story) -> str:
    """The word for a color in the reader's language."""
    return _(color) if color in COLORS else story.explainer.color(color)


def symbols(story: Story) -> list[tuple[str, Card, str]]:
    """What a card of the deck may show beside its color, and the cards without one: each as the page's form sends it,
    as a card to draw, and in words."""
    deck = DECKS[story.header.ruleset.deck]
    first_color = [f"{one.color}-" for one in deck_colors(story)[:1]]
    first = [face for face in deck if face.startswith((*first_color, "wild"))]
    found = []
    for face in first:
        card, symbol = card_view(face, story), face.partition("-")[2]
        if card.color == "wild":
            found.append((face, card, card.name))
        else:
            found.append((symbol, card, symbol if symbol.rstrip("*").isdigit() else story.explainer.action(symbol)))
    return found


def headline(position: Mapping[str, Any], name: str) -> str:
    """The state of the game in a few words; ``name``: of the player on turn."""
    headlines = {
        "pick": _("Who deals?"),
        "deal": _("Dealing"),
        "upcard": _("First card"),
        "turn": _("{name}’s turn", name=name),
        "drawn": _("{name} drew", name=name),
        "color": _("{name} names a color", name=name),
        "challenge": _("Challenge?"),
        "stack": _("{name} answers or draws", name=name),
        "swap": _("{name} swaps hands", name=name),
        "target": _("{name} chooses who draws", name=name),
        "discard": _("{name} lays all of the color", name=name),
        "roulette": _("{name} turns up cards", name=name),
        "redeal": _("Shuffle Hands"),
        "paused": _("Paused"),
        "round_over": _("Round over"),
        "game_over": _("Game over"),
    }
    return headlines[position["phase"]]


def round_winner(story: Story, moment: Moment) -> int | None:
    """The seat that went out in the last round that is over; None if the log does not say."""
    rulings = (ruling for earlier in reversed(story.moments[: moment.n + 1]) for ruling in earlier.rulings)
    return next((ruling.seat for ruling in rulings if isinstance(ruling, RoundOver)), None)


def _uncalled(story: Story, moment: Moment, no_call: str) -> Collection[int]:
    """The seats of which the page shows now that they hold one card without having called UNO."""
    match no_call:
        case "at-once":
            return tuple(moment.position["catchable"])
        case "after":
            return [seat for seat in range(len(moment.names)) if _is_past_catching(story, moment, seat)]
        case _:
            return ()


def _is_past_catching(story: Story, moment: Moment, seat: int) -> bool:
    """True if the seat did not call, and nobody caught it in time: it has held its last card ever since."""
    if seat in moment.position["catchable"] or moment.position["owed"].get(str(seat)):
        return False
    for earlier in reversed(story.moments[: moment.n + 1]):
        position = earlier.position
        if earlier.round != moment.round or earlier.is_over or position["hands"][seat] != 1:
            return False
        if seat in position["called"]:
            return False
        if seat in position["catchable"]:
            return True
    return False


def _duel(story: Story, moment: Moment) -> tuple[int, int] | None:
    """The seat that has to show its hand after a challenge, and the challenger; None if nobody has to."""
    for earlier in reversed(story.moments[: moment.n + 1]):
        if earlier.position["phase"] not in ("challenge", "stack"):
            return None
        for ruling in earlier.rulings:
            if isinstance(ruling, ShowHand):
                return ruling.seat, ruling.to
    return None


def _winner_headline(story: Story, moment: Moment) -> str:
    """Return the winner of a finished game in words. "" without a winner, and if too many share the win for a headline:
    the last ruling names all of them."""
    winner = story.winner_at(moment) if moment.position["phase"] == "game_over" else None
    if winner is None:
        return ""
    letters = _PLATE_LETTERS if winner.seat is None else _HEADLINE_LETTERS
    header = replace(story.header, seats=tuple(shorten(name, letters) for name in story.header.seats))
    text = Explainer(header, language()).explain(winner).text.removesuffix(".")
    return text if len(text) <= _MAX_HEADLINE else ""


def _last_moments(story: Story, moment: Moment, reader: int | None) -> tuple[MomentText, ...]:
    shown = (
        earlier
        for earlier in reversed(story.moments[: moment.n + 1])
        if earlier.rulings or earlier.obs in ("fault", "resumed", "overrule")
    )
    return tuple(story.describe(one, reader) for one in islice(shown, _SHOWN_MOMENTS))


def advice(story: Story, moment: Moment, table: LiveTableState) -> str:
    """Return what the people at the table have to do now; "" if the game does not wait for anything unusual."""
    position = moment.position
    dealer = story.header.seats[position["dealer"]] if position["dealer"] is not None else ""
    match position["phase"]:
        case "paused":
            cause = _cause_of_pause(story, table)
            return " ".join((*cause, _("Play is paused. When the table is in order, press Go on.")))
        case "deal" if not table.has_shoe:
            return ngettext(
                "Deal {n} card to each seat, then press Go on.",
                "Deal {n} cards to each seat, then press Go on.",
                story.header.ruleset.hand_size(len(story.header.seats)),
            )
        case "upcard":
            return _("{name}: turn up the first card of the discard pile.", name=dealer)
        case "game_over":
            return _("The game is over. Press Go on to start another one.")
        case "round_over" if any(score.round == moment.round for score in story.scores_at(moment)):
            return _("The round is over. Collect all cards, shuffle them, and press Go on.")
        case "round_over" if left := [moment.names[seat] for seat in hands_due(story, table)]:
            asked = _("Lay hands open, one after the other: {names}.", names=", ".join(left))
            return f"{asked} {sight(story, table, moment.names, position['hands'])}".rstrip()
        case _ if position["draw_pile"] == 0 and position["discard_pile"] > 1:
            return _("{name}: shuffle the discard pile, less its top card, into the draw pile.", name=dealer)
        case _:
            return ""


def _cause_of_pause(story: Story, table: LiveTableState) -> tuple[str, ...]:
    """The fault that paused play, unless an alarm already shows it."""
    for moment in reversed(story.moments):
        match moment.reported:
            case Fault(device=device, kind=kind):
                return () if any(device == other for other, _kind in table.alarms) else (problem_text(device, kind),)
            case Resumed():
                break
            case _:
                pass
    return ()
