"""The people at a simulated table without a camera: they read the page, report cards, press keys, and mend what broke.

Faces are not simulated: people hold whatever the record allows. Cards are: each that the shoe feeds is at a seat, in
the shoe, or on the pile, and what people count is what is there.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Final, get_args

from croupier.commands import (
    ChooseDealer,
    ColorKey,
    Command,
    CountFedCards,
    DiscardCards,
    Key,
    LayCard,
    MakeHouseRule,
    NameCard,
    PressKey,
    ShowCards,
    StartGame,
    SwapHands,
)
from croupier.events import Press
from croupier.runtime.table import Table
from croupier_rules.cards import FACES, PLAIN
from croupier_rules.referee.corrections import ChangePlayers, SetTo, TopIs, Undo, may_be_undone
from tests.simulation.pico import Board
from tests.simulation.world import World

_GLANCE_S: Final = (0.15, 0.5)
"""So often somebody looks what is to be done."""
_SOON_S: Final = (0.8, 2.0)
"""Between two attempts to mend the same."""
_IN_PLAY: Final = ("upcard", "turn", "drawn", "stack", "color", "challenge", "swap", "target", "discard", "roulette")
"""Phases in which the cards in the shoe are the draw pile."""
_COLORS: Final[tuple[ColorKey, ...]] = get_args(ColorKey)
_KEYS: Final[tuple[Key, ...]] = (
    "uno",
    "draw",
    "pass",
    "accept",
    "challenge",
    "acted",
    "decline",
    "go",
    "pause",
    "undo",
    *_COLORS,
)


class People:
    """``table``: None while the program does not run; ``fed_for``: the cards that came for each job of each game, by
    (game, job). ``cards``: as many as the deck has, so that people put into the shoe what is in no hand; None: as the
    first seeds had it, where nobody leaves or joins either. ``is_unruly``: they also do what nobody asked for."""

    def __init__(
        self, world: World, board: Board, fed_for: Counter[tuple[int, int]], cards: int | None = None
    ) -> None:  # fmt: skip
        self.world, self.board, self._fed_for, self._cards = world, board, fed_for, cards
        self.table: Table | None = None
        self.is_unruly = True
        self.has_buttons = True
        self.returned: Counter[int] = Counter()
        self._chance: Random = world.chance("people")
        self._unruly = 0.12 if cards is None else 0.2
        self._mended = 0.0
        self._drew = False
        self._loads = (0, 0)
        world.after(1.0, self._glance)

    def _glance(self) -> None:
        self.world.after(self._chance.uniform(*_GLANCE_S), self._glance)
        if self.table is None:
            return
        if self.is_unruly and self._chance.random() < self._unruly:
            self._misbehave(self.table)
        else:
            self._do_what_is_asked(self.table)

    # -- what they do ----------------------------------------------------------------------------------------------

    def submit(self, command: Command) -> None:
        """Give a command on the page."""
        if self.table is not None:
            if isinstance(command, StartGame) or (isinstance(command, PressKey) and command.key == "go"):
                self._tidy(self.table)
            self.world.note("people:", command)
            self.table.submit(command)

    def press(self, key: Key, seat: int) -> None:
        """Press a key: UNO on the seat's button, anything else on the page."""
        if key == "uno" and self.has_buttons:
            self.world.note("button", seat)
            self.board.press(seat)
        else:
            self.submit(PressKey(seat, key))

    def _tidy(self, table: Table) -> None:
        """Before anybody presses go: what was fed too much goes back, what sticks is taken out, and for the next round
        all cards are put together."""
        run, board = table.run, self.board
        if run.is_game_over or run.is_round_over or run._next_round == "collecting":
            for seat in range(board.seats):
                board.give_back(seat, board.got[seat])
            if self._cards is not None:
                board.fill(self._cards)
        else:
            for seat, n in self._surplus(table).items():
                board.give_back(seat, n)
                self.returned[seat] += n
                self.world.note("seat", seat, "gives", n, "back")
        if table.devices.shoe.fault:
            board.clear()

    def _surplus(self, table: Table) -> Counter[int]:
        """The cards that the table says are too many."""
        return Counter({seat: n for seat, n in getattr(table.devices.shoe, "_surplus", {}).items() if n})

    def _do_what_is_asked(self, table: Table) -> None:
        run, shoe, position = table.run, table.devices.shoe, table.run.position
        now, chance = self.world.now, self._chance
        if shoe.in_doubt is not None:
            if now >= self._mended:
                self._mended = now + chance.uniform(*_SOON_S)
                feed, _ = shoe.in_doubt
                self.submit(CountFedCards(self._fed_for[run.session.game, feed.job]))
            return
        if position.phase == "paused" or shoe.fault or table.alarms.active():
            if now >= self._mended:
                self._mended = now + chance.uniform(*_SOON_S)
                self.submit(PressKey(0, "go"))
            if position.phase == "paused" or shoe.fault:
                return
        if position.owed and not run.has_shoe:
            self.press("draw", min(position.owed))
            return
        if run._end.hand_due is not None:
            self._show(table, run._end.hand_due)
            return
        self._put_back(table)
        seat = position.turn if position.turn is not None else 0
        match position.phase:
            case "pick":
                self.submit(ChooseDealer(chance.randrange(board_seats(table))))
            case "deal" | "redeal" if now >= self._mended and not self.board.is_driven:
                self._mended = now + chance.uniform(*_SOON_S)
                self.submit(PressKey(0, "go"))
            case "round_over" if now >= self._mended and not self.board.is_driven and run._next_round:
                self._mended = now + chance.uniform(*_SOON_S)
                self.submit(PressKey(0, "go"))
            case "upcard":
                self._lay(table, numbers_only=True)
            case "turn" | "drawn":
                self._turn(table, seat)
            case "stack":
                self._answer(table, seat)
            case "swap" | "target":
                self._choose(table, seat)
            case "discard":
                self._discard(table, seat)
            case "roulette":
                self.press(chance.choice(("draw", "draw", "pass")), seat)
            case "color":
                self.press(chance.choice(_COLORS), seat)
            case "challenge":
                self.press(chance.choice(("accept", "accept", "challenge")), position.next_seat or 0)
            case _:
                pass

    def _turn(self, table: Table, seat: int) -> None:
        position, chance = table.run.position, self._chance
        if position.draw_pile == 0:
            self._recycle(table)
        if position.owed:
            return
        if position.phase == "turn" and chance.random() < 0.1:
            self.press("draw", seat)
        elif not self._lay(table, numbers_only=chance.random() < 0.7):
            self.press("draw" if position.phase == "turn" else "pass", seat)
        elif position.phase == "drawn" and chance.random() < 0.3:
            self.press("pass", seat)

    def _answer(self, table: Table, seat: int) -> None:
        """Lay a draw card on a draw card, or take what they make draw; the page shows who may challenge."""
        what = self._chance.choice(("lay", "lay", "draw", "accept", "challenge"))
        if what == "lay" and self._lay(table, numbers_only=False):
            return
        self.press("challenge" if what == "challenge" else "draw", seat)

    def _choose(self, table: Table, seat: int) -> None:
        """Choose the seat to swap hands with, or that draws, on the page or by its button."""
        other = self._chance.choice([one for one in range(board_seats(table)) if one != seat])
        if self.has_buttons and self._chance.random() < 0.5:
            self.press("uno", other)
        else:
            self.submit(SwapHands(other))

    def _discard(self, table: Table, seat: int) -> None:
        """Lay all cards of the color: those that are known, and some of the others."""
        position, known = table.run.position, table.run.session.referee._table.known[seat]
        fit = sum(FACES[kind].startswith(f"{position.color}-") for kind in known)
        self.submit(DiscardCards(fit + self._chance.randint(0, min(3, position.hands[seat] - len(known)))))

    def _put_back(self, table: Table) -> None:
        """Put into the shoe what the record has in it and is not: hands given up, cards that nobody owed."""
        run, board = table.run, self.board
        phase = run._director.phase
        if self._cards is None or not run.has_shoe or board.is_driven or phase not in _IN_PLAY:
            return
        if run.sequencer.is_waiting or run.session.open_jobs() or self._surplus(table):
            return
        lacking = run.position.draw_pile - board.motor.inside
        if lacking > 0:
            self.world.note("people put", lacking, "cards under the draw pile")
            board.load(lacking)

    def _recycle(self, table: Table) -> None:
        """Put the discard pile, less its top card, into the shoe."""
        position = table.run.position
        here = table.run.session.game, len(table.run.session.journal.lines(table.run.session.game))
        if self._cards is not None and not self.board.is_driven:
            self.board.fill(0)
        if self.board.motor.inside == 0 and self._loads != here:
            self._loads = here
            self.world.note("people load", position.discard_pile - 1)
            self.board.load(position.discard_pile - 1)

    def _lay(self, table: Table, *, numbers_only: bool) -> bool:
        run, chance = table.run, self._chance
        fit = sorted(face for face in run.session.referee.expected_faces() if not face.endswith("*"))
        if numbers_only:
            fit = [face for face in fit if face.partition("-")[2].isdigit()] or fit
        if not fit:
            return False
        position = run.position
        if position.turn is not None and position.hands[position.turn] == 2 and chance.random() < 0.7:
            self.press("uno", position.turn)
        card = chance.choice(fit)
        is_out_of_turn = self._cards is not None and card == position.top and chance.random() < 0.5
        self.submit(LayCard(card, chance.randrange(len(position.hands)) if is_out_of_turn else None))
        return True

    def _show(self, table: Table, seat: int) -> None:
        """Lay a hand open: the cards of which the record knows that they are in it, and any others that may be."""
        run = table.run
        record = run.session.referee._table
        known = [FACES[kind] for kind in record.known[seat]]
        cards = [face for kind, face in enumerate(FACES) for _ in range(record.unseen[kind]) if PLAIN[kind] == kind]
        n = min(max(0, run.position.hands[seat] - len(known)), len(cards))
        self.submit(ShowCards(seat, (*known, *self._chance.sample(cards, n))))

    # -- what nobody asked for --------------------------------------------------------------------------------------

    def _misbehave(self, table: Table) -> None:
        chance, run = self._chance, table.run
        seats = board_seats(table)
        seat = chance.randrange(seats)
        any_card = chance.choice(_PLAIN)
        match chance.randrange(11 if self._cards is None else 15):
            case 0 | 1 | 2:
                self.press(chance.choice(_KEYS), seat)
            case 3:
                self.submit(LayCard(any_card, chance.choice((None, seat))))
            case 4:
                self.submit(NameCard(any_card))
            case 5:
                self.submit(TopIs(any_card))
            case 6:
                standing = run.session.referee.standing()
                if standing and may_be_undone(standing[-1]):
                    self.submit(Undo(standing[-1]))
            case 7:
                self.submit(SetTo({"scores": {seat: chance.randrange(200)}}))
            case 9:
                self.submit(StartGame(run.session.header))
            case 8:
                self.submit(MakeHouseRule(seat, chance.randrange(12), "Clap."))
            case 11:
                self.submit(ChangePlayers("leave", seat))
            case 12:
                free = chance.choice(run.position.out or (seat,))
                self.submit(ChangePlayers("join", free, name=chance.choice((None, None, f"Guest {seat}"))))
            case 13:
                self.submit(ChangePlayers("swap", seat, (seat + chance.randrange(seats)) % seats))
            case 14:
                self.submit(chance.choice((SwapHands(seat), DiscardCards(chance.randrange(4), seat))))
            case _:
                t = table.clock.now()
                self.world.note("panel: two keys at once")
                table.inbox.put(
                    Press(t=t, seat=seat, key="draw"), Press(t=t, seat=(seat + 1) % seats, key=chance.choice(_KEYS))
                )


_PLAIN: Final = tuple(f"{color}-{n}" for color in _COLORS for n in range(1, 10))


def board_seats(table: Table) -> int:
    """How many sit at the table."""
    return len(table.run.session.header.seats)
