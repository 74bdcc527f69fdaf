"""Random games by any document: people who mostly do what they may, and now and then what they may not.

The slow referee is the world they play in: it knows every card. What they do is told as the lines of a table log, with
the faces that were seen (``cards``) and, for the slow referee alone, those that were there (``really``). With *open*
hands all faces are seen, with hidden ones none, save where a hand is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Final

from tests.slow_referee import SlowReferee, own_rules, says
from tests.slow_referee.cards import BOXES
from tests.slow_referee.table import WITH_A_TURN

Seen = dict[str, Any]
Step = tuple[Seen, list[dict[str, Any]]]

OBJECTIONS_OF_THE_ALL_SEEING: Final = {
    *("hand-card-after-draw", "must-play-drawn", "not-in-hand", "discard-all"),
}
"""What nobody can object to who does not see the hands; where hands are hidden, people are honest in these."""

NAMES: Final = ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon")
LONGEST_ROUND: Final = 400
"""Observations after which a round is left unfinished: with big hands and empty piles it might never end."""


class RandomGame:
    """One game from its header to its end; ``header`` is its first line. ``changes``: players come, go and move."""

    def __init__(self, ruleset: str, seed: int, *, changes: bool = False) -> None:
        self.happens = (*WHATEVER, *(("player",) * 3 if changes else ()))
        self.random = Random(f"{ruleset} {seed}")
        self.says = says(ruleset)
        self.cards = BOXES[self.says["deck"]]
        self.own: dict[str, str] = self.says["own"]
        self.is_open = self._by_chance(0.5)
        self.header = self._sit_down(ruleset)
        self.slow = SlowReferee(self.header, self._box())
        if self._by_chance(0.6):
            self.header["given"] = self._in_the_middle()
        self.rounds = 0
        self.t = 0.0

    def play(self, rounds: int) -> Iterator[Step]:
        """What is seen and what the slow referee rules on it, for so many rounds or until the game is over."""
        begun = len(self.slow.before)
        while self.rounds < rounds:
            if (step := self._step()) is None:
                continue
            yield step
            table = self.slow.table
            is_counted = table.phase == "round_over" and table.is_scored
            is_a_game = table.phase == "game_over" and table.target is None
            if is_counted or table.phase == "game_over" or len(self.slow.before) - begun > LONGEST_ROUND:
                begun = len(self.slow.before)
                self.rounds += 1
                if not is_counted and not is_a_game:
                    return
                yield self._watch({"obs": "dealt", **self._cards(table.players[0], self.says["hand"], table.deck)})

    def _step(self) -> Step | None:
        """The next thing that happens; nothing where it was one that hidden hands do not allow for."""
        seen = self._whatever() if self._by_chance(0.12) else self.sensible()
        if seen is None:
            return None
        history = self.slow.before.copy() if "undo" in seen else None
        step = self._watch(seen)
        if not self.is_open and any(self._is_unseen(ruling) for ruling in step[1]):
            assert history is None
            self.slow.table = self.slow.before.pop()
            return None
        for ruling in step[1]:
            ruling.pop("by the faces", None)
        return step

    def _is_unseen(self, ruling: dict[str, Any]) -> bool:
        is_objection = ruling.get("why") in OBJECTIONS_OF_THE_ALL_SEEING or "by the faces" in ruling
        return ruling["ruling"] == "warn" or is_objection

    def _watch(self, seen: Seen) -> Step:
        self.t += 1.0
        seen["t"] = self.t
        if seen["obs"] == "redealt":
            # Nobody sees what Shuffle Hands gives to whom.
            self.is_open = False
        return seen, self.slow.observe(seen)

    # Before the first card.

    def _by_chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def _sit_down(self, ruleset: str) -> dict[str, Any]:
        choose = self.random.choice
        seats = choose((2, 2, 3, 3, 4, 4, 4, choose((5, 6, 10))))
        seats = min(seats, (len(self.cards.box()) - 1) // self.says["hand"], self.says["most players"])
        header: dict[str, Any] = {"log": "croupier/1", "ruleset": ruleset, "seats": list(NAMES[:seats])}
        is_picked = self.says["picked action"] is not None and self._by_chance(0.3)
        header["dealer"] = None if is_picked else self.random.randrange(seats)
        options: dict[str, Any] = {}
        if self._by_chance(0.5):
            options["target"] = choose((30, 100, 200))
        if self._by_chance(0.3):
            options["deal"] = choose(("next", "winner", "same"))
        if seats == 4 and self.says["partners"] and self._by_chance(0.4):
            header["teams"] = [[0, 2], [1, 3]] if self.says["partners"] == "across" else [[0, 1], [2, 3]]
        elif self.says["elimination"] and self._by_chance(0.2):
            options |= {"variant": "elimination", "limit": choose((40, 120))}
        elif self.says["lowest"] and self._by_chance(0.2):
            options["scoring"] = "lowest"
        if self.says["deck"] == "112-el" and self._by_chance(0.5):
            effects: list[dict[str, Any]] = [{}, {"draw": 3}, {"draw": 1, "skip": True}, {"again": True}]
            options["custom"] = {"text": "as agreed", "effect": choose(effects)}
        if self.says["house rules"] and self._by_chance(0.2):
            options["own_penalties"] = choose((True, 3))
        if "score.alt_lowest" in self.own:
            header.pop("teams", None)
            options.pop("variant", None)
            options.pop("limit", None)
        if "score.values" in self.own:
            options = {"target": choose((1, 2, 3))}
        if options:
            header["options"] = options
        return header

    def _box(self) -> list[str]:
        """The cards in the box; which numbers carry the Add-a-Rule icon the document does not say."""
        deck = self.cards.box()
        if self.says["house rules"]:
            number_of = self.cards.number_of
            deck = [f"{card}*" if number_of(card) is not None and self._by_chance(0.3) else card for card in deck]
        return deck

    def _in_the_middle(self) -> dict[str, Any]:
        """A position to begin from, with small hands or large ones; the table is laid so."""
        table, choose = self.slow.table, self.random.choice
        if table.dealer is None:
            self.header["dealer"] = table.dealer = self.random.randrange(table.seats)
        deck = table.deck.copy()
        self.random.shuffle(deck)
        most = choose((3, 3, 3, 7, 7, len(deck) // table.seats - 1))
        if limit := self.says["knocked out at"]:
            most = choose((most, limit)) if most < limit else limit - 1
        table.hands = [
            [deck.pop() for _ in range(self.random.randint(1, min(most, (limit or most + 1) - 1)))]
            for _ in range(table.seats)
        ]
        table.top = deck.pop()
        discarded = choose((0, 1, len(deck) // 2, len(deck) - 1, len(deck)))
        table.discard_pile = [*deck[:discarded], table.top]
        table.draw_pile = deck[discarded:]
        table.color = self.cards.color_of(table.top) or (choose(self.cards.colors) if self.cards.colors else None)
        table.phase = "turn"
        table.turn = self.random.randrange(table.seats)
        table.direction = choose(("left", "right"))
        ones = [seat for seat, hand in enumerate(table.hands) if len(hand) == 1]
        table.called = {seat for seat in ones if self._by_chance(0.5)}
        table.catchable = {seat for seat in ones if seat not in table.called and seat != table.turn}
        table.scores = [self.random.randrange(30) for _ in table.scores]
        if table.draw_pile and self._by_chance(0.3):
            table.owed[self.random.randrange(table.seats)] = choose((1, 2, 4))
        if self.says["house rules"]:
            table.house = {str(n): f"rule {n}" for n in self.random.sample(range(10), choose((0, 1, 4, 5)))}
        if self.is_open:
            table.known = [hand.copy() for hand in table.hands]
        given = table.copy().position()
        return given | {"house_rules": dict(table.house), "scores": table.scores.copy()}

    # What people do.

    def _cards(self, seat: int, n: int, pile: list[str] | None = None) -> Seen:
        """Cards from anywhere in the draw pile (or another), as many as there are."""
        pile = self.slow.table.draw_pile if pile is None else pile
        really = self.random.sample(pile, min(n, len(pile)))
        seen: Seen = {"seat": seat, "n": len(really), "really": really}
        return seen | {"cards": [*map(self._as_read, really)]} if self.is_open else seen

    def _as_read(self, card: str) -> str:
        """A card as the camera reads it, which now and then overlooks the Add-a-Rule icon, or sees one that is none."""
        if not self.says["house rules"] or self.cards.number_of(card) is None or not self._by_chance(0.1):
            return card
        return card.rstrip("*") if card.endswith("*") else f"{card}*"

    def _draw(self, seat: int, n: int) -> Seen | None:
        return {"obs": "drew", **self._cards(seat, n)} if self.slow.table.draw_pile else None

    def _color(self) -> Seen:
        return {"obs": "color", "color": self.random.choice(self.cards.colors or ("red",))}

    def _show(self, seat: int) -> Seen:
        hand = self.slow.table.hands[seat]
        return {"obs": "shown", "seat": seat, "cards": [*map(self._as_read, self.random.sample(hand, len(hand)))]}

    def sensible(self) -> Seen | None:
        """Something that the game asks for now."""
        table = self.slow.table
        needs_cards = not table.draw_pile and len(table.discard_pile) > 1
        if table.paused and (needs_cards or self._by_chance(0.7)):
            return {"obs": "resumed"}
        if needs_cards:
            return {"obs": "recycled"}
        owing = [seat for seat, n in enumerate(table.owed) if n]
        if owing and (table.phase == "round_over" or self._by_chance(0.7)):
            seat = self.random.choice(owing)
            owed = table.owed[seat]
            return self._draw(seat, self.random.choice((owed, owed, owed, 1, owed + 1)))
        if table.catchable and self._by_chance(0.3):
            return {"obs": "uno", "seat": self.random.choice(table.players)}
        if table.running is not None and self._by_chance(0.8):
            waiting = [seat for seat in table.players if seat not in table.acted]
            return {"obs": "acted", "seat": self.random.choice(waiting)}
        if table.maker is not None and self._by_chance(0.5):
            return self._house_rule(*table.maker)
        return getattr(self, f"_in_{table.phase}")(table)  # type: ignore[no-any-return]

    def _house_rule(self, seat: int, card: str) -> Seen:
        if self._by_chance(0.2):
            return {"obs": "decline", "seat": seat}
        number = self.cards.number_of(card)
        ruled = sorted(self.slow.table.house)
        if number is None:
            number = int(self.random.choice(ruled)) if ruled and self._by_chance(0.8) else self.random.randrange(10)
        return {"obs": "house_rule", "seat": seat, "number": number, "text": self.random.choice(("moo", "stand up"))}

    def _in_pick(self, table: Any) -> Seen:
        waiting = [seat for seat, card in table.picked.items() if card is None]
        low = [card for card in table.draw_pile if not self.cards.number_of(card)]
        pile = low if self._by_chance(0.7) else table.draw_pile
        return {"obs": "pick", "seat": self.random.choice(waiting), "card": self.random.choice(pile)}

    def _in_deal(self, table: Any) -> Seen:
        seat = next(seat for seat in table.players if len(table.hands[seat]) < table.hand_size)
        missing = table.hand_size - len(table.hands[seat])
        n = missing if self._by_chance(0.9) else self.random.randint(1, missing)
        return {"obs": "dealt", **self._cards(seat, n)}

    def _in_upcard(self, table: Any) -> Seen:
        return {"obs": "upcard", "card": self.random.choice(table.draw_pile)}

    def _out_of_turn(self, table: Any) -> Seen | None:
        """Who holds the card that lies on top lays it, and now and then who may not."""
        if not (self.own.keys() & {"jump_in", "play.double"}) or not table.top or self._by_chance(0.4):
            return None
        same = [(seat, card) for seat in table.players for card in table.hands[seat]
                if card.rstrip("*") == table.top.rstrip("*") and seat != table.turn]  # fmt: skip
        if not same:
            return None
        seat, card = self.random.choice(same)
        return {"obs": "play", "card": self._as_read(card), "seat": seat}

    def _in_stack(self, table: Any) -> Seen | None:
        if jump := self._out_of_turn(table):
            return jump
        seat, hand = table.turn, table.hands[table.turn]
        fitting = [card for card in hand if not own_rules.why_no_answer(table, card)]
        if len(hand) == 2 and self._by_chance(0.2):
            return {"obs": "uno", "seat": seat}
        if fitting and self._by_chance(0.8):
            return {"obs": "play", "card": self._as_read(self.random.choice(fitting))}
        if hand and self._by_chance(0.1):
            return {"obs": "play", "card": self._as_read(self.random.choice(hand)), "seat": seat}
        if table.top == "wild-draw4" and table.challengers and self._by_chance(0.4):
            return {"obs": "challenge", "seat": self.random.choice(table.challengers)}
        if self._by_chance(0.1):
            return {"obs": "lift", "seat": seat}
        return {"obs": "accept", "seat": seat} if self._by_chance(0.5) else self._draw(seat, self.random.randint(1, 5))

    def _in_swap(self, table: Any) -> Seen:
        if table.own.get("seven") == "may-swap" and self._by_chance(0.4):
            return {"obs": "pass", "seat": table.turn}
        others = [seat for seat in table.players if seat != table.turn]
        return {"obs": table.phase, "seat": table.turn, "with": self.random.choice(others)}

    _in_target = _in_swap

    def _in_turn(self, table: Any) -> Seen | None:
        if jump := self._out_of_turn(table):
            return jump
        seat = table.turn
        fitting = [card for card in table.hands[seat] if table.fits(card)]
        if table.catchable and self._by_chance(0.1):
            # What is refused begins the turn, too.
            other = [card for card in table.hands[seat] if not table.fits(card)]
            return {"obs": "play", "card": self.random.choice(other), "seat": seat} if other else self._draw(seat, 2)
        if fitting and self._by_chance(0.92):
            if len(table.hands[seat]) == 2 and seat not in table.called and self._by_chance(0.5):
                return {"obs": "uno", "seat": seat}
            if self._by_chance(0.1):
                return {"obs": "lift", "seat": seat}
            is_bold = "wild-draw4" in fitting and self._by_chance(0.5)
            return {
                "obs": "play",
                "card": self._as_read("wild-draw4" if is_bold else self.random.choice(fitting)),
                **({"seat": seat} if self._by_chance(0.5) else {}),
            }
        return self._draw(seat, self._how_many()) or {"obs": "pass", "seat": seat}

    def _how_many(self) -> int:
        """Who draws until a card fits may tell several cards at once."""
        is_until = self.own.get("turn.must_draw") == "until-it-fits"
        return self.random.choice((1, 1, 2, 3)) if is_until else 1

    def _in_drawn(self, table: Any) -> Seen | None:
        if self.own.get("turn.must_draw") == "until-it-fits" and not table.fits(table.drawn) and self._by_chance(0.8):
            return self._draw(table.turn, self._how_many()) or {"obs": "pass", "seat": table.turn}
        if table.fits(table.drawn) and self._by_chance(0.8):
            return {"obs": "play", "card": self._as_read(table.drawn)}
        if self._by_chance(0.5):
            return {"obs": "pass", "seat": table.turn}
        seat = table.next_to(table.turn)
        if self._by_chance(0.3):
            return self._draw(seat, 1)
        if self._by_chance(0.3) or not table.hands[seat]:
            return {"obs": "lift", "seat": seat}
        return {"obs": "play", "seat": seat, "card": self._as_read(self.random.choice(table.hands[seat]))}

    def _in_color(self, table: Any) -> Seen:
        return self._color() | ({"seat": table.turn} if self._by_chance(0.5) else {})

    def _in_challenge(self, table: Any) -> Seen | None:
        if table.challenger is not None:
            return self._show(table.turn)
        seat = table.next_to(table.turn)
        if self._by_chance(0.4):
            return {"obs": "challenge", "seat": self.random.choice(table.challengers)}
        return {"obs": "accept", "seat": seat} if self._by_chance(0.7) else self._draw(seat, self.random.randint(1, 4))

    def _in_discard(self, table: Any) -> Seen:
        hand = table.hands[table.turn]
        if self._by_chance(0.1):
            return {"obs": "uno", "seat": table.turn}
        these = [card for card in hand if self.cards.color_of(card) == table.color]
        if hand and self._by_chance(0.15):
            these = self.random.sample(hand, self.random.randint(0, len(hand)))
        seen = {"obs": "discarded", "seat": table.turn, "n": len(these)}
        return seen | {"cards": these} if self.is_open else seen

    def _in_roulette(self, table: Any) -> Seen | None:
        came = [card for card in table.hands[table.turn][-1:] if self.cards.color_of(card) == table.color]
        is_done = table.turned_up and came and not self.is_open
        if is_done or self._by_chance(0.05):
            return {"obs": "pass", "seat": table.turn}
        return self._draw(table.turn, self.random.choice((1, 1, 1, 2))) or {"obs": "pass", "seat": table.turn}

    def _in_redeal(self, table: Any) -> Seen:
        seat = next(seat for seat in table.players if table.to_deal[seat])
        missing = table.to_deal[seat]
        n = missing if self._by_chance(0.8) else self.random.randint(1, missing)
        return {"obs": "redealt", "seat": seat, "n": n, "really": self.random.sample(table.collected, n)}

    def _in_round_over(self, table: Any) -> Seen:
        hidden = [seat for seat, hand in enumerate(table.hands) if len(table.known[seat]) < len(hand)]
        return self._show(self.random.choice(hidden or table.players))

    def _whatever(self) -> Seen | None:
        """Anything that could be reported at a table, whether it is allowed now or not."""
        table, choose = self.slow.table, self.random.choice
        seat = choose(table.players)
        kind = choose(self.happens)
        if kind == "play":
            hand = table.hands[seat]
            card = choose(table.deck) if self.is_open and self._by_chance(0.3) else choose(hand) if hand else None
            return {"obs": "play", "card": card, "seat": seat} if card else None
        if kind == "drew":
            return self._draw(seat, self.random.randint(1, 3))
        if kind == "color":
            is_clear = table.phase in WITH_A_TURN and self._by_chance(0.3)
            return self._color() if is_clear else self._color() | {"seat": seat}
        if kind == "shown":
            if table.phase == "redeal":
                return None
            shown = self._show(seat)
            return shown if self._by_chance(0.8) else shown | {"cards": shown["cards"][1:]}
        if kind == "overrule":
            most = min(5, len(self.slow.before))
            return {"obs": kind, "undo": self.random.randint(1, most)} if most else None
        if kind == "house_rule":
            return {"obs": kind, "seat": seat, "number": self.random.randrange(10), "text": "moo"}
        if kind == "fault":
            return {"obs": kind, "device": "shoe", "kind": "jam"}
        if kind == "pick":
            return {"obs": kind, "seat": seat, "card": choose(table.deck)}
        if kind == "dealt":
            return {"obs": kind, **self._cards(seat, 1)} if table.phase != "round_over" else None
        if kind == "upcard":
            is_clear = table.phase in WITH_A_TURN
            return {"obs": kind, "card": choose(table.draw_pile)} if is_clear and table.draw_pile else None
        if kind == "recycled":
            return {"obs": kind} if table.phase in WITH_A_TURN else None
        if kind == "discarded":
            return {"obs": kind, "seat": seat, "n": self.random.randint(0, 3)}
        if kind in ("swap", "target"):
            return {"obs": kind, "seat": seat, "with": choose(range(table.seats))}
        if kind in ("tick", "resumed"):
            return {"obs": kind}
        if kind == "player":
            return self._player()
        return {"obs": kind, "seat": seat}

    def _player(self) -> Seen:
        """Somebody leaves, joins or swaps seats, or cannot now."""
        table, choose = self.slow.table, self.random.choice
        change = {"does": choose(("leave", "join", "swap")), "seat": choose(range(table.seats))}
        if table.out and self._by_chance(0.5):
            change = {"does": "join", "seat": choose(sorted(table.out))}
        if change["does"] == "swap":
            change["with"] = choose(range(table.seats))
        elif change["does"] == "join" and self._by_chance(0.5):
            change["name"] = "Kim"
        return {"obs": "overrule", "player": change}


WHATEVER: Final = (
    *("play", "drew", "pass", "uno", "uno", "lift", "color", "accept", "challenge", "shown", "overrule"),
    *(
        "swap",
        "target",
        "discarded",
        "house_rule",
        "decline",
        "acted",
        "hint",
        "fault",
        "pick",
        "dealt",
        "upcard",
        "tick",
        "resumed",
        "recycled",
    ),
)
