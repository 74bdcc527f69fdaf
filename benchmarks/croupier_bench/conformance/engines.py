"""Engines that the suite asks: our referee as a game that plays, and games from PyPI. None of their code is here.

Each adapter lays cards out in the engine's own objects, calls its own functions for the moves, and reads what they did.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Final

from croupier_bench.conformance.script import SHEET, Layout, Move
from croupier_rules import Referee, parse_header, parse_observation
from croupier_rules.cards import color_of, symbol_of

NAMES: Final = ("Ann", "Ben", "Cat", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon")
NPM: Final = Path(sys.prefix) / "peers"
"""Where `make bench` installs what comes from npm."""

_ALL: Final = frozenset({"turn", "direction", "color", "top", "hands", "draw_pile", "discard_pile", "winner"})
_STEP: Final = {"left": 1, "right": -1}


class Plays:
    """A referee of table logs, and the cards: what is owed is drawn at once, the color comes with the wild card.

    Ours here; a test puts the slow referee in its place by the three methods at the end.
    """

    name = "croupier-rules"
    knows = frozenset({"starter", "play", "draw", "pass", "uno", "challenge"})
    tells = _ALL | {"points"}

    def lay_out(self, layout: Layout) -> None:
        """Begin at a position in which every card is known."""
        given: dict[str, Any] = {
            "phase": "turn" if layout.discard else "upcard",
            "dealer": layout.dealer,
            "direction": layout.direction,
            "hands": [len(hand) for hand in layout.hands],
            "known": {str(seat): list(hand) for seat, hand in enumerate(layout.hands)},
            "draw_pile": len(layout.pile),
            "discard_pile": len(layout.discard),
        }
        if layout.discard:
            given |= {"turn": layout.turn, "top": layout.discard[-1], "color": layout.color}
        seats = list(NAMES[: len(layout.hands)])
        self._pile, self._points, self._t = list(layout.pile), None, 0
        self._begin({"log": "croupier/1", "ruleset": SHEET, "seats": seats, "dealer": layout.dealer, "given": given})

    def do(self, move: Move) -> bool:
        """Report the move, and draw what follows from it."""
        match move.kind:
            case "starter":
                self._pile.remove(str(move.card))
                done = self._observe("upcard", card=move.card)
            case "draw":
                done = self._observe("drew", seat=move.seat, n=1, cards=[self._pile.pop(0)])
            case kind:
                done = self._observe(kind, seat=move.seat, **({"card": move.card} if move.card else {}))
        if done and move.color is not None and self._position()["phase"] == "color":
            done = self._observe("color", color=move.color)
        position = self._position()
        if position["phase"] == "challenge":
            challenger = (position["turn"] + _STEP[position["direction"]]) % len(position["hands"])
            self._observe("challenge" if move.challenges else "accept", seat=challenger)
        self._settle()
        return done

    def look(self) -> dict[str, Any]:
        """The position of the referee."""
        position = self._position()
        is_over = position["phase"].endswith("_over")
        winner = position["hands"].index(0) if is_over and 0 in position["hands"] else None
        return {**position, "turn": None if is_over else position["turn"], "winner": winner, "points": self._points}

    def _settle(self) -> None:
        """Draw what is owed, and show the hands that are to be shown."""
        while self._pile and (owed := self._position()["owed"]):
            seat, n = min((int(seat), n) for seat, n in owed.items())
            cards, self._pile = self._pile[:n], self._pile[n:]
            self._observe("drew", seat=seat, n=len(cards), cards=cards)

    def _observe(self, kind: str, **fields: Any) -> bool:
        self._t += 1
        ruled = self._rule({"obs": kind, "t": self._t, **fields})
        self._points = next((one["points"] for one in ruled if one["ruling"] == "score"), self._points)
        for one in ruled:
            if one["ruling"] == "show_hand":
                seat = one["seat"]
                self._observe("shown", seat=seat, cards=self._position()["known"].get(str(seat), []))
        return not any(one["ruling"] == "illegal" for one in ruled)

    def _begin(self, header: dict[str, Any]) -> None:
        self._referee = Referee(parse_header(header))

    def _rule(self, see: dict[str, Any]) -> list[dict[str, Any]]:
        seats = len(self._referee.header.seats)
        return [dict(one.to_json()) for one in self._referee.observe(parse_observation(see, seats))]

    def _position(self) -> dict[str, Any]:
        return dict(self._referee.position())


class RlCard:
    """RLCard's `UnoGame`: seat 0 there is left of the dealer; no pass, no call, no challenge, no points."""

    name = "rlcard"
    knows = frozenset({"starter", "play", "draw", "decides"})
    tells = _ALL
    _TRAITS: ClassVar = {"draw2": "draw_2", "wild-draw4": "wild_draw_4"}

    def lay_out(self, layout: Layout) -> None:
        """Fill a `UnoGame` with the cards."""
        import numpy as np
        from rlcard.games.uno import Dealer, Game, Player, Round

        self._n = len(layout.hands)
        self._first = (layout.dealer + 1) % self._n
        self._game = game = Game(num_players=self._n)
        game.np_random = np.random.RandomState(0)
        game.payoffs, game.history = [0] * self._n, []
        game.dealer = Dealer(game.np_random)
        game.dealer.deck = [self._card(face) for face in reversed(layout.pile)]
        game.players = [Player(one, game.np_random) for one in range(self._n)]
        for one, player in enumerate(game.players):
            player.hand = [self._card(face) for face in layout.hands[(one + self._first) % self._n]]
        game.round = turns = Round(game.dealer, self._n, game.np_random)
        turns.played_cards = [self._card(face) for face in layout.discard]
        if layout.discard:
            turns.target = turns.played_cards[-1]
            turns.target.color = str(layout.color)[0]
            turns.current_player = (int(layout.turn or 0) - self._first) % self._n
            turns.direction = _STEP[layout.direction]

    def do(self, move: Move) -> bool:
        """Step, where the action is among the legal ones."""
        game = self._game
        if move.kind == "starter":
            if move.color is not None:
                return False  # it names the color of a first wild card itself, at random
            game.round.perform_top_card(game.players, game.round.flip_top_card())
            return True
        color = str(color_of(move.card or "") or move.color)[0]
        action = "draw" if move.kind == "draw" else f"{color}-{self._trait(str(move.card))}"
        if action not in game.get_legal_actions():
            return False
        game.step(action)
        return True

    def look(self) -> dict[str, Any]:
        """The state of the round."""
        turns = self._game.round
        hands = [len(player.hand) for player in self._game.players]
        winner = self._seat(turns.winner[0]) if turns.winner else None
        return {
            "turn": None if turns.is_over else self._seat(turns.current_player),
            "direction": "left" if turns.direction == 1 else "right",
            "color": next(color for color in ("red", "green", "blue", "yellow") if color[0] == turns.target.color),
            "top": self._face(turns.target),
            "hands": [hands[(seat - self._first) % self._n] for seat in range(self._n)],
            "draw_pile": len(self._game.dealer.deck),
            "discard_pile": len(turns.played_cards),
            "winner": winner,
        }

    def _seat(self, player: int) -> int:
        return (player + self._first) % self._n

    def _trait(self, face: str) -> str:
        symbol = face if color_of(face) is None else symbol_of(face)
        return str(self._TRAITS.get(symbol, symbol))

    def _card(self, face: str) -> Any:
        from rlcard.games.uno.card import UnoCard

        color, trait = color_of(face), self._trait(face)
        kind = "wild" if color is None else "number" if trait.isdigit() else "action"
        return UnoCard(kind, (color or "r")[0], trait)

    def _face(self, card: Any) -> str:
        symbol = next((ours for ours, theirs in self._TRAITS.items() if theirs == card.trait), card.trait)
        if card.type == "wild":
            return str(symbol)
        color = next(color for color in ("red", "green", "blue", "yellow") if color[0] == card.color)
        return f"{color}-{symbol}"


class SkillUno:
    """SkillUNO's `UNOGame` without its skills; people at one keyboard, whose answers are the moves."""

    name = "skilluno"
    knows = frozenset({"starter", "play", "draw", "decides"})
    tells = _ALL
    _COLORS: ClassVar = {"red": "红", "blue": "蓝", "green": "绿", "yellow": "黄"}
    _KINDS: ClassVar = {"skip": "跳过", "reverse": "反转", "draw2": "+2", "wild": "万能", "wild-draw4": "万能+4"}

    def lay_out(self, layout: Layout) -> None:
        """Fill a `UNOGame` with the cards; its hands of more than fifteen cards are left to it."""
        from uno.core import UNOGame
        from uno.ui import NullUI

        self._ui = NullUI()
        with contextlib.redirect_stdout(io.StringIO()):
            self._game = game = UNOGame(
                enabled_seasons=[], players=list(NAMES[: len(layout.hands)]), human_ui=self._ui, initial_skill_count=0
            )
        game.discard_pile[:] = [self._card(face) for face in layout.discard]
        game.deck.cards = [self._card(face) for face in reversed(layout.pile)]
        game.direction = _STEP[layout.direction]
        for player, hand in zip(game.players, layout.hands, strict=True):
            player.hand = [self._card(face) for face in hand]
        self._layout = layout
        if layout.discard:
            game.current_color = self._COLORS[str(layout.color)]
            game.current_player_idx = int(layout.turn or 0)

    def do(self, move: Move) -> bool:
        """Answer its questions so that it does the move."""
        game = self._game
        if move.kind == "starter":
            # Its `setup` deals and turns over: the hands lie on the pile as it deals them.
            dealt = [self._card(face) for hand in self._layout.hands for face in hand]
            game.deck.cards = [*(self._card(face) for face in reversed(self._layout.pile)), *reversed(dealt)]
            random.seed(0)  # it shuffles a starter card that it does not want back into the pile
            game.setup()
            game.current_player_idx = (self._layout.dealer + 1) % len(game.players)
            return move.color is None
        player = game.current_player()
        wanted = None
        if move.kind == "play":
            card = self._card(str(move.card))
            held = [place for place, one in enumerate(player.hand) if repr(one) == repr(card)]
            if not held or not card.is_playable_on(game.discard_pile[-1], game.current_color):
                return False
            wanted = held[0]
        player.choose_play = lambda top, color, game: wanted
        player.choose_color = lambda: self._COLORS[str(move.color)]
        self._ui.input = lambda prompt="": "y" if move.card else "n"
        game.play_turn()
        return True

    def look(self) -> dict[str, Any]:
        """The state of the game."""
        game = self._game
        winner = game.check_winner()
        top = game.discard_pile[-1]
        return {
            "turn": None if winner else game.current_player_idx,
            "direction": "left" if game.direction == 1 else "right",
            "color": next(ours for ours, theirs in self._COLORS.items() if theirs == game.current_color),
            "top": self._face(top),
            "hands": [len(player.hand) for player in game.players],
            "draw_pile": len(game.deck.cards),
            "discard_pile": len(game.discard_pile),
            "winner": game.players.index(winner) if winner else None,
        }

    def _card(self, face: str) -> Any:
        from uno.core import Card

        color = color_of(face)
        if color is None:
            return Card("黑", self._KINDS[face])
        symbol = symbol_of(face)
        if symbol.isdigit():
            return Card(self._COLORS[color], "数字", int(symbol))
        return Card(self._COLORS[color], self._KINDS[symbol])

    def _face(self, card: Any) -> str:
        symbol = str(card.value) if card.value is not None else self._symbol(card.type)
        color = next((ours for ours, theirs in self._COLORS.items() if theirs == card.color), None)
        return symbol if color is None else f"{color}-{symbol}"

    def _symbol(self, kind: str) -> str:
        return next(ours for ours, theirs in self._KINDS.items() if theirs == kind)


class UnoEngine:
    """uno-engine from npm, in Node.js; seats with calls and catches, no challenge.

    Raises:
        LookupError: Node.js or the engine is not there.
    """

    name = "uno-engine"
    knows = frozenset({"play", "draw", "pass", "uno"})
    tells = _ALL - {"discard_pile"} | {"points"}

    def __init__(self) -> None:
        node = shutil.which("node")
        if node is None or not (NPM / "node_modules/uno-engine").is_dir():
            raise LookupError(self.name)
        program = Path(__file__).with_name("uno_engine.cjs")
        self._node = subprocess.Popen(
            [node, str(program), str(NPM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._look: dict[str, Any] = {}

    def lay_out(self, layout: Layout) -> None:
        """Fill a `Game` with the cards."""
        self._ask({"layout": asdict(layout)})

    def do(self, move: Move) -> bool:
        """Call its function; it refuses by an error."""
        return self._ask({"move": asdict(move)})

    def look(self) -> dict[str, Any]:
        """The state of the game."""
        return self._look

    def close(self) -> None:
        """End Node.js."""
        self._node.communicate()

    def _ask(self, asked: dict[str, Any]) -> bool:
        assert self._node.stdin is not None
        assert self._node.stdout is not None
        print(json.dumps(asked), file=self._node.stdin, flush=True)
        answer = json.loads(self._node.stdout.readline())
        self._look = answer["look"]
        return bool(answer["ok"])
