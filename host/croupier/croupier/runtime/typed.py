"""Terminal input at a running table: commands with the names of players and cards."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final, cast, get_args

from croupier.commands import (
    FOR_THE_TABLE,
    ChooseDealer,
    Command,
    CountFedCards,
    DiscardCards,
    Key,
    LayCard,
    NameCard,
    SwapHands,
)
from croupier.events import CommandGiven, Press
from croupier.i18n import _, marked, ngettext
from croupier.names import TakenNames, find_name, name_key
from croupier_rules.cards import KEYS, is_wild
from croupier_rules.referee import Explainer
from croupier_rules.referee.corrections import ChangePlayers, SetTo
from croupier_rules.referee.observations import Overrule
from croupier_rules.rules.card_tables import card_tables

_KEYS: Final = get_args(Key)
_DIGITS: Final = 3
"""The most digits of a typed number."""
_IN_WORDS: Final[Mapping[Key, str]] = {
    "uno": marked("UNO!"), "draw": marked("Draw a card"), "pass": marked("Pass"), "accept": marked("Take the cards"),
    "challenge": marked("Challenge"), "acted": marked("Done!"), "decline": marked("Make no rule"),
    "open": marked("This is my hand"), "go": marked("Go on"), "pause": marked("Stop play"),
    "undo": marked("Undo the last report"),
}  # fmt: skip
_SHORT: Final = {"draw2": "+2", "wild-draw4": "+4"}


class TypedWords:
    """The words that may be typed at a table: of the program, and of the language of ``explainer``.

    ``names``: of the players, by seat. A part of a name or a color serves if it is the beginning of only one.
    """

    def __init__(self, names: Sequence[str], explainer: Explainer) -> None:
        self.names, self._explainer = tuple(names), explainer
        self._deck = tuple(explainer.ruleset.faces)
        self._by_key = {KEYS[color]: color for color in card_tables(explainer.ruleset.deck).colors}
        self._colors: dict[str, str] = {
            name.casefold(): key for key, color in self._by_key.items() for name in (color, explainer.color(color))
        }
        self._faces: dict[str, set[str]] = defaultdict(set)
        for face in self._deck:
            if not is_wild(face):
                for written in self._written(face):
                    self._faces[written].add(face)
        for face in self._deck:  # a whole name means its card, whatever it is the beginning of
            for name in (face, explainer.card(face), *([_SHORT[face]] if face in _SHORT else [])):
                self._faces[_squeezed(name)] = {face}
        self._commands: dict[str, tuple[Callable[[str], Any], Callable[[Any], Command]]] = {
            "card": (self.face, NameCard), "laid": (self.face, LayCard),
            "counted": (self._counted, lambda counted: counted), "dealer": (self.seat, ChooseDealer),
            "under": (_number, DiscardCards), **dict.fromkeys(("choose", "swap"), (self.seat, SwapHands)),
            "leave": (self.seat, lambda seat: ChangePlayers("leave", seat)), "join": (self._join, lambda join: join),
            "seats": (self._two_seats, lambda seats: ChangePlayers("swap", *seats)),
        }  # fmt: skip
        """By word: what reads the rest of the line, and the command for its result."""

    def _written(self, face: str) -> Iterator[str]:
        color, _hyphen, symbol = face.partition("-")
        symbols = {symbol, _SHORT.get(symbol, symbol)}
        if not symbol.rstrip("*").isdigit():
            symbols.add(self._explainer.action(symbol))
        for name in {color, self._explainer.color(color)}:
            for length in range(1, len(name) + 1):
                for sign in symbols:
                    yield _squeezed(name[:length] + sign)
                    yield _squeezed(sign + name[:length])

    def face(self, text: str) -> str | None:
        """Return the card that ``text`` means; None if it means none, or more than one."""
        faces = self._faces.get(_squeezed(text), set())
        return next(iter(faces)) if len(faces) == 1 else None

    def seat(self, text: str) -> int | None:
        """Return the seat of a name, its beginning, or its number, counted from 1; None if it means none, or more than
        one."""
        if (seat := find_name(text, self.names)) is not None:
            return seat
        if (n := _number(text)) is not None:
            return n - 1 if 0 < n <= len(self.names) else None
        key = name_key(text)
        found = [seat for seat, name in enumerate(self.names) if key and name_key(name).startswith(key)]
        return found[0] if len(found) == 1 else None

    def parse(self, line: str, t: float, asked: Callable[[Key], int | None]) -> Press | CommandGiven | None:
        """Return the press or the command that a line means, at ``t``; None if it means none.

        ``asked``: returns the seat of a key that is typed without one.

        Raises:
            BadName: a new player’s name cannot be taken.
        """
        word, _space, rest = " ".join(line.split()).partition(" ")
        word = word.casefold()
        if word in self._commands:
            read, command = self._commands[word]
            value = read(rest)
            return None if value is None else CommandGiven(t=t, command=command(value))
        if (laid := self.face(line)) is not None:  # before the keys: “red 5” is a card, “red Ann” is not
            return CommandGiven(t=t, command=LayCard(laid))
        if (key := self._colors.get(word, word)) not in _KEYS:
            return None
        pressed = cast(Key, key)
        if rest:
            seat = self.seat(rest)
        else:  # whoever is asked may have laid no card, so that a call needs its name
            seat = 0 if pressed in FOR_THE_TABLE else None if pressed == "uno" else asked(pressed)
        return None if seat is None else Press(t=t, seat=seat, key=pressed)

    def _join(self, text: str) -> ChangePlayers | None:
        """Return who joins: who left that seat, or a new player with the name after it."""
        if (seat := self.seat(text)) is not None:
            return ChangePlayers("join", seat)
        where, _space, name = text.partition(" ")
        if not name or (seat := self.seat(where)) is None:
            return None
        others = TakenNames(other for place, other in enumerate(self.names) if place != seat)
        return ChangePlayers("join", seat, name=others.add(name))

    def _counted(self, text: str) -> CountFedCards | SetTo | None:
        """Return how many cards came out, or how many every hand has."""
        counts = [n for word in text.split() if (n := _number(word)) is not None]
        if not counts or len(counts) != len(text.split()):
            return None
        if len(counts) == len(self.names):
            return SetTo({"hands": dict(enumerate(counts))})
        return CountFedCards(counts[0]) if len(counts) == 1 else None

    def _two_seats(self, text: str) -> tuple[int, int] | None:
        words = text.split()
        for place in range(1, len(words)):
            seat, other = self.seat(" ".join(words[:place])), self.seat(" ".join(words[place:]))
            if seat is not None and other is not None:
                return seat, other
        return None

    def answer(self, meant: Press | CommandGiven) -> str:
        """Return what was understood, in the table's words."""
        match meant:
            case Press():
                key = self._key_name(meant.key)
                return key if meant.key in FOR_THE_TABLE else f"{self.names[meant.seat]}: {key}"
            case CommandGiven(command=NameCard() | LayCard() as command):
                return self._explainer.card(command.card)
            case CommandGiven(command=ChooseDealer() as command):
                return _("Dealer: {name}", name=self.names[command.seat])
            case CommandGiven(command=SwapHands() as command):
                return _("Chosen: {name}", name=self.names[command.other])
            case CommandGiven(command=ChangePlayers() as command):
                names = command.change.names(self.names)
                return self._explainer.naming(names).seen(Overrule(0.0, set={}, player=command.change))
            case CommandGiven(command=SetTo() as command):
                return ", ".join(
                    f"{self.names[seat]}: " + ngettext("{n} card", "{n} cards", n)
                    for seat, n in command.fields["hands"].items()
                )
            case CommandGiven(command=CountFedCards() | DiscardCards() as command):
                return ngettext("{n} card", "{n} cards", command.n)
            case _:
                return ""

    def _key_name(self, key: Key) -> str:
        color = self._by_key.get(key)
        return _(_IN_WORDS[key]) if color is None else self._explainer.color(color)

    def nearest(self, line: str) -> list[str]:
        """Return what exists and is nearest to a line that means nothing: commands, players, or cards."""
        word, _space, rest = " ".join(line.casefold().split()).partition(" ")
        card = rest if word in ("card", "laid") else line
        if faces := self._faces.get(_squeezed(card)):  # such as g7 where two colors begin so
            return sorted(map(self._explainer.card, faces))
        if word in ("card", "laid"):
            return self._nearest_cards(rest)
        if self._colors.get(word, word) in self._by_key:
            return [*self._nearest_cards(line), *self.names]
        if word in ("choose", "swap", "dealer", "leave", "join", "seats", *_KEYS):
            return list(self.names)
        known = list(dict.fromkeys([*_KEYS, *self._commands, "help", *self._colors]))
        return [] if word in known else get_close_matches(word, known, 3) or self._nearest_cards(line)

    def _nearest_cards(self, text: str) -> list[str]:
        names = {_squeezed(name): name for name in map(self._explainer.card, self._deck) if not name.endswith("*")}
        return [names[one] for one in get_close_matches(_squeezed(text), names, 3)]


def _squeezed(text: str) -> str:
    return "".join(text.casefold().replace("-", " ").split())


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS else None
