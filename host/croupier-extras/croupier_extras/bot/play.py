"""The command `croupier play`: a person against bots in the terminal, with the referee that the table has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Annotated, Any, Final

import typer

from croupier.cli.help_texts import offer
from croupier.cli.options import House
from croupier.errors import one_line
from croupier.i18n import _, language, ngettext
from croupier.journal.log_file import text_of
from croupier.output_files import write_new, write_over
from croupier_extras.bot.player import Bot, all_of_color
from croupier_extras.bot.table import CardTable
from croupier_rules.cards import KEYS, color_of
from croupier_rules.referee import Explainer, Header, Observation, Rulings, rulings
from croupier_rules.referee.moves import legal
from croupier_rules.referee.observations import (
    Accept,
    Challenge,
    Color,
    Dealt,
    Drew,
    HouseRule,
    Pass,
    Play,
    Swap,
    Target,
    Uno,
    to_json,
)

YOU: Final = 0
"""The seat of the person."""

BOTS: Final = ("Ada", "Bob", "Cleo", "Dot", "Eli", "Flo", "Gil", "Hal", "Ivy")

_CALL: Final = "u"
"""The key of the UNO call: no word of a language, in some of which it is one."""
_LETTERS: Final[dict[str, type[Pass | Uno | Accept | Challenge]]] = {"p": Pass, _CALL: Uno, "a": Accept, "c": Challenge}
_KNOWN_ANYWAY: Final = (rulings.Turn, rulings.ColorIs, rulings.ChooseColor, rulings.ChooseSeat, rulings.ChooseTarget,
                       rulings.ShowHand)  # fmt: skip
"""What is said when somebody is asked, or follows from what was just said."""


class _Ended(Exception):
    """The person has had enough."""


def play(
    bots: Annotated[int, typer.Option(metavar="N", min=1, max=9, help="How many bots play.")] = 3,
    skill: Annotated[
        float,
        typer.Option(metavar="X", min=0.0, max=1.0, help="How well they play: from 0, who forgets much, to 1."),
    ] = 0.7,
    ruleset: Annotated[
        str, typer.Option(metavar="NAME", help="The ruleset: one that `croupier rules` lists.")
    ] = "g7942-en",
    house: House = None,
    name: Annotated[str, typer.Option(metavar="NAME", help="Your name.")] = "",
    seed: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="The same seed deals the same cards.", show_default=False)
    ] = None,
    log: Annotated[Path | None, typer.Option(metavar="FILE", help="Keep the table log in this new file.")] = None,
) -> None:
    """Play against bots in the terminal, by the rules of any sheet.

    The bots see their own cards only. They may forget to call UNO, and so may you.
    """
    from croupier_rules.referee import parse_header

    random = Random(seed)
    chosen = f"{ruleset}+{house}" if house else ruleset
    seats = [name or _("Player"), *BOTS[:bots]]
    header = parse_header(
        {"log": "croupier/1", "ruleset": chosen, "seats": seats, "dealer": random.randrange(len(seats))}
    )
    if log is not None:
        write_new(log, b"", "--log")
    game = _Game(header, random, skill)
    try:
        game.play()
    except (_Ended, EOFError):
        print()
    finally:
        if log is not None:
            write_over(log, "".join(f"{text_of(line)}\n" for line in game.lines).encode(), "--log")


class _Game:
    """One game of a person against bots, on a console. ``lines``: those of its table log."""

    def __init__(self, header: Header, random: Random, skill: float) -> None:
        from croupier.console import Console  # rich is loaded by those who play alone

        self._console = Console(highlight=False)
        self.lines: list[Mapping[str, Any]] = [header.to_json()]
        self._explainer = Explainer(header, language()).to_player(YOU)
        self._random = random
        self._table = CardTable(header, random.randrange(2**32), self._watch, open_seats=(YOU,))
        self._bots = [
            Bot(seat, header.ruleset.deck, Random(random.random()), skill) for seat in range(1, len(header.seats))
        ]
        self._last: Rulings = ()

    def play(self) -> None:
        """Play rounds until the game is over."""
        referee, number = self._table.referee, 0
        keys = _("Numbers lay cards; d draw, p pass, {key} UNO, a accept, c challenge, ? the rule, q end", key=_CALL)
        self._say(keys, "dim")
        while not number or (referee.position()["phase"] != "game_over" and self._goes_on()):
            number += 1
            self._say(_("Round {number}", number=number), "bold underline")
            self._table.begin_round()
            while not referee.is_round_over:
                self._next()

    def _goes_on(self) -> bool:
        self._ask(_("Enter: the next round"))
        return True

    def _next(self) -> None:
        """One decision of somebody; a press of a button goes before a card."""
        table = self._table
        for seat in table.seats_to_ask():
            if seat == YOU:
                continue
            if (choice := self._bots[seat - 1].choose(table.referee, table.hands[seat], table.drawn)) is not None:
                table.do(choice)
                self._interrupt(choice)
                return
        self._decide()

    def _interrupt(self, choice: Observation) -> None:
        """Somebody may have forgotten to call: the person can press before play goes on."""
        referee = self._table.referee
        is_last = isinstance(choice, Play) and choice.seat and len(self._table.hands[choice.seat]) == 1
        if not is_last or referee.is_round_over:
            return
        if self._ask(_("{name} has one card. Enter: go on; {key}: UNO", name=self._name(choice), key=_CALL)) == _CALL:
            self._table.do(Uno(referee.t + 0.5, YOU))

    def _name(self, choice: Observation) -> str:
        return one_line(self._table.referee.names[getattr(choice, "seat", YOU)])

    def _decide(self) -> None:
        """The person decides."""
        table = self._table
        can = [one for one in legal(table.referee, YOU, table.hands[YOU]) if not isinstance(one, HouseRule)]
        assert can, "nobody can do anything"
        named = [one for one in can if isinstance(one, Color | Swap | Target)]
        if (discarded := all_of_color(can, table.hands[YOU], table.referee.state().top)) is not None:
            table.do(discarded)
            return
        self._show(can, named)
        while True:
            if (choice := self._choice(self._ask("").strip().lower(), can, named)) is not None:
                table.do(choice)
                return

    def _choice(self, word: str, can: Sequence[Observation], named: Sequence[Observation]) -> Observation | None:
        """What the person means; ``None`` where that is nothing that can be done."""
        hand, t = self._table.hands[YOU], self._table.referee.t + 1.0
        if word.isdecimal() and 0 < int(word) <= len(named or hand):
            return named[int(word) - 1] if named else Play(t, hand[int(word) - 1], YOU)
        if word == "?":
            for ruling in self._last:
                self._say(self._explainer.explain(ruling).source, "cyan")
        elif word == "d":
            if (draw := next((one for one in can if isinstance(one, Drew)), None)) is not None:
                return draw
        elif word in _LETTERS:  # where it is not possible, the referee says so
            return _LETTERS[word](t, YOU)
        if word != "?":
            keys = _("Not now. Numbers lay cards; d draw, p pass, {key} UNO, a accept, c challenge", key=_CALL)
            self._say(keys, "yellow")
        return None

    def _show(self, can: Sequence[Observation], named: Sequence[Observation]) -> None:
        """How it stands, and what there is to choose from; a card that fits is marked."""
        table, position = self._table, self._table.referee.position()
        held = (
            f"{one_line(name)} {ngettext('{n} card', '{n} cards', len(table.hands[seat]))}"
            for seat, name in enumerate(table.referee.names)
            if seat != YOU
        )
        self._say("")
        self._say(" · ".join(held), "dim")
        self._say(self._explainer.standing(position))
        if named:
            self._say("   ".join(f"{i} {self._option(one)}" for i, one in enumerate(named, 1)))
            return
        fitting = {one.card for one in can if isinstance(one, Play)}
        if position["phase"] == "drawn" and table.drawn is not None:
            fitting &= {table.drawn}
        from rich.text import Text

        line = Text()
        for i, card in enumerate(table.hands[YOU], 1):
            mark = "•" if card in fitting else " "
            line.append(f"{mark}{i} ", style="bold" if card in fitting else "dim")
            line.append(self._explainer.card(card), style=KEYS.get(color_of(card) or "", "bold"))
            line.append("  ")
        self._console.print(line)

    def _option(self, one: Observation) -> str:
        if isinstance(one, Color):
            return self._explainer.color(one.color)
        assert isinstance(one, Swap | Target)
        return one_line(self._table.referee.names[one.with_])

    def _watch(self, observation: Observation, ruled: Rulings) -> None:
        """Say what happened, and write it into the log."""
        for bot in self._bots:
            bot.watch(ruled)
        self.lines.append(to_json(observation))
        self._last = ruled or self._last
        if not isinstance(observation, Dealt):
            self._say(" ".join(self._sentences(observation, ruled)))

    def _sentences(self, observation: Observation, ruled: Rulings) -> Iterator[str]:
        yield one_line(self._explainer.seen(observation, self._table.referee.on_turn))
        for ruling in ruled:
            if not isinstance(ruling, _KNOWN_ANYWAY):
                yield one_line(self._explainer.explain(ruling).text)

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(text, style=style, markup=False)

    def _ask(self, text: str) -> str:
        answer = self._console.input(f"{text} > ".lstrip(), markup=False)
        if not self._console.is_terminal:
            self._say("")
        if answer.strip().lower() == "q":
            raise _Ended
        return answer.strip().lower()


play_app = typer.Typer(rich_markup_mode=None)
offer(play_app, play, "", "--bots 1 --skill 1", "--ruleset no-mercy-en --house party")
