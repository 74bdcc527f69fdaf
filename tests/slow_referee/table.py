"""The table with every card on it, face up for whoever reads this."""

from __future__ import annotations

from typing import Any

from tests.slow_referee.cards import BOXES
from tests.slow_referee.documents import says

SIDES = {"left": 1, "right": -1}
CHANGING = (
    *("draw_pile", "discard_pile", "owed", "scores", "out", "called", "catchable", "picked"),
    *("house", "acted", "collected", "to_deal", "drawn_since"),
)
WITH_A_TURN = ("turn", "drawn", "color", "challenge", "stack", "swap", "target", "discard", "roulette", "redeal")

Ruling = dict[str, Any]
Seen = dict[str, Any]


def ruled(name: str, **fields: Any) -> Ruling:
    return {"ruling": name, **fields}


def refused(seat: int, why: str, seen: Seen, rule: str | None = None) -> list[Ruling]:
    """Not allowed: the card goes back, and nothing changed."""
    ruling = ruled("illegal", seat=seat, why=why, rule=rule)
    if "card" in seen:
        ruling["card"] = seen["card"]
    return [ruling]


class Table:
    """Everything there is to know about a game."""

    def __init__(self, header: dict[str, Any], deck: list[str] | None = None) -> None:
        self.says = says(header["ruleset"])
        self.own: dict[str, str] = self.says["own"]
        self.seats = len(header["seats"])
        self.teams: list[list[int]] = header.get("teams", [])
        self.options: dict[str, Any] = header.get("options", {})
        self.cards = BOXES[self.says["deck"]]
        self.deck = deck or self.cards.box()
        self.dealer: int | None = header["dealer"]
        self.scores = [0] * (len(self.teams) or self.seats)
        self.out: set[int] = set()
        self.knocked_out: set[int] = set()
        self.paused = False
        self.gather()

    def gather(self) -> None:
        """All cards go back into the deck, and calls and house rules lapse."""
        self.phase = "pick" if self.dealer is None else "deal"
        self.turn: int | None = None
        self.direction: str = self.says["begins"]
        self.hands: list[list[str]] = [[] for _ in range(self.seats)]
        self.known: list[list[str]] = [[] for _ in range(self.seats)]
        self.draw_pile = self.deck.copy()
        self.discard_pile: list[str] = []
        self.top: str | None = None
        self.color: str | None = None
        self.owed = [0] * self.seats
        self.called: set[int] = set()
        self.catchable: set[int] = set()
        self.picked: dict[int, str | None] = dict.fromkeys(self.players)  # of the seats that are asked
        # Of this turn: the card that was drawn, whether the seat had none that fitted, and how many it drew.
        self.drawn: str | None = None
        self.drew_by_need = False
        self.n_drawn = 0
        self.is_first_card = False
        # Of a Wild Draw Four: the color it was laid on; the hand left at the touch, and what of it was known then; the
        # cards that were seen when its seat drew since, and how many it drew in all; who challenged it.
        self.color_before: str | None = None
        self.left: list[str] = []
        self.left_known: list[str] = []
        self.drawn_since: list[str] = []
        self.n_since = 0
        self.challenger: int | None = None
        # Of the table's own rules: what the stack of draw cards makes draw, and the first of them; the seat that laid
        # the last card; whether the seat on turn has begun its turn.
        self.stack = 0
        self.stack_why = ""
        # Of cards that are turned up until a color comes: whether each had the color (None: nobody saw it).
        self.turned_up: list[bool | None] = []
        self.layer: int | None = None
        self.just_played: int | None = None
        self.has_begun = False
        # Of the end of the round.
        self.went_out: int | None = None
        self.is_scored = False
        # Of house rules: text by number; who may make one with which card; what runs, and who has acted.
        self.house: dict[str, str] = {}
        self.maker: tuple[int, str] | None = None
        self.running: str | None = None
        self.acted: list[int] = []
        # Of Shuffle Hands: the cards that were collected, and how many each seat is to get yet.
        self.collected: list[str] = []
        self.to_deal = [0] * self.seats

    def copy(self) -> Table:
        """Another table where everything lies the same."""
        other = object.__new__(Table)
        other.__dict__.update(self.__dict__)
        for name in CHANGING:
            other.__dict__[name] = self.__dict__[name].copy()
        other.hands = [hand.copy() for hand in self.hands]
        other.known = [hand.copy() for hand in self.known]
        return other

    @property
    def players(self) -> list[int]:
        return [seat for seat in range(self.seats) if seat not in self.out]

    def next_to(self, seat: int, direction: str | None = None) -> int:
        """The neighbor of ``seat`` who plays, in the direction of play or in the one that is named."""
        while True:
            seat = (seat + SIDES[direction or self.direction]) % self.seats
            if seat not in self.out:
                return seat

    @property
    def hand_size(self) -> int:
        """How many cards each player is dealt."""
        is_two = self.seats == 2 and "deal.hand" not in self.own
        return int(self.says["hand between two"] or self.says["hand"]) if is_two else int(self.says["hand"])

    @property
    def has_two_players(self) -> bool:
        return len(self.players) == 2

    @property
    def challengers(self) -> list[int]:
        """Who may challenge the Wild Draw Four that was laid last."""
        assert self.accused is not None
        if self.says["challengers"] == "nobody":
            return []
        if self.says["challengers"] == "any":
            return [seat for seat in self.players if seat != self.accused]
        return [self.next_to(self.accused)]

    @property
    def accused(self) -> int | None:
        """The seat that laid the Wild Draw Four: it is on turn, until somebody may answer its card."""
        return self.layer if self.phase == "stack" else self.turn

    @property
    def target(self) -> int | None:
        target = self.options.get("target", self.says["game"])
        return None if target is None else int(target)

    def who(self, seen: Seen) -> int:
        """The seat that a report is about: the one named, else the one on turn, else the dealer."""
        on_turn = self.turn if self.phase in WITH_A_TURN else None
        return int(next(seat for seat in (seen.get("seat"), on_turn, self.dealer, 0) if seat is not None))

    def fits(self, card: str) -> bool:
        return self.top is None or self.color is None or self.cards.fits(card, self.top, self.color)

    def take(self, seat: int, seen: Seen, first: int = 0, n: int | None = None) -> None:
        """The seat takes ``n`` of the cards that were seen, or are known to this referee alone, from the draw pile."""
        last = seen["n"] if n is None else first + n
        really = seen["really"][first:last]
        for card in really:
            self.draw_pile.remove(card)
        # A card goes by the name under which it was last seen.
        self.hands[seat] += seen["cards"][first:last] if "cards" in seen else really
        self.known[seat] += seen.get("cards", [])[first:last]
        if seat == self.accused and self.phase in ("color", "challenge", "stack"):
            self.drawn_since += seen.get("cards", [])[first:last]
            self.n_since += len(really)
        if really:
            self.called.discard(seat)
            if self.says["window"] is None:
                # No sentence ends the time to catch; but a hand that grew is no hand of one card.
                self.catchable.discard(seat)

    def say_turn(self, **more: Any) -> Ruling:
        self.has_begun = False
        return ruled("turn", seat=self.turn, direction=self.direction, **more)

    def owe(self, seat: int, n: int, why: str, **more: Any) -> Ruling:
        self.owed[seat] += n
        return ruled("draw", seat=seat, n=n, why=why, **more)

    def position(self) -> dict[str, Any]:
        """The position of the table log; the order of known cards says nothing.

        What is collected for Shuffle Hands counts as the hands that it is dealt to, so that no card is ever nowhere.
        """
        return {
            "phase": "paused" if self.paused else self.phase,
            **({"resumes": self.phase} if self.paused else {}),
            "dealer": self.dealer,
            "turn": self.turn if self.phase in WITH_A_TURN else None,
            "direction": self.direction,
            "top": self.top,
            "color": self.color,
            "hands": [len(hand) + to_come for hand, to_come in zip(self.hands, self.to_deal, strict=True)],
            "known": {str(seat): sorted(hand) for seat, hand in enumerate(self.known) if hand},
            "draw_pile": len(self.draw_pile),
            "discard_pile": len(self.discard_pile),
            "owed": {str(seat): n for seat, n in enumerate(self.owed) if n},
            "called": sorted(self.called),
            "catchable": sorted(self.catchable),
            "house_rules": self.house,
            "scores": self.scores,
            "out": sorted(self.out),
            **({"stack": self.stack} if self.stack else {}),
            **({"knocked_out": sorted(self.knocked_out)} if self.knocked_out else {}),
        }


def team_of(table: Table, seat: int) -> int | None:
    return next((number for number, team in enumerate(table.teams) if seat in team), None)
