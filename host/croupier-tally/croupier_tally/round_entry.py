"""A round that people enter at the keyboard for a score sheet: the player who went out, and the hands of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import typer

from croupier.errors import BadScore
from croupier.i18n import _, language
from croupier.names import find_name
from croupier.runtime.typed import TypedWords
from croupier_rules.referee import Explainer
from croupier_tally.given_hands import hand_sizes, same_files
from croupier_tally.hands import is_picture, read_hand, typed_cards
from croupier_tally.score_sheet import ScoreSheet

_OUT: Final = "out"


class RoundEntry:
    """Adds a round that people enter to a score sheet. ``sheet``: the score sheet with that round.

    ``ask`` puts a question at the terminal, None without one; ``readers`` loads the card reader for cards of a deck.
    """

    def __init__(
        self,
        sheet: ScoreSheet,
        ask: Callable[[str], str] | None,
        readers: Callable[[Mapping[str, int]], Any],
        config: Path,
    ) -> None:
        self.sheet, self._readers, self._config = sheet, readers, config
        self._question = ask
        self._ask = None if ask is None else self._answer
        self._words = TypedWords(sheet.names, Explainer(sheet.header, language()))

    def parse(self, hands: Sequence[str]) -> dict[int, str]:
        """Return the entry of each seat: a picture, cards, or ``out``.

        Raises:
            typer.BadParameter: an argument is no ``NAME=HAND``, or a player or a hand stands twice.
        """
        given = dict[int, str]()
        for hand in hands:
            name, source = self._split(hand)
            if not source:
                example = "Ann=out, Ben=hand.jpg, Cat=red-7,wild"
                raise typer.BadParameter(_("{hand}: expected such as {example}", hand=hand, example=example))
            if (seat := self._seat(name)) in given:
                player = self.sheet.names[seat]
                raise typer.BadParameter(
                    _("{hand}: {name} stands twice; give each player one hand", hand=hand, name=player)
                )
            given[seat] = source
        if (twice := same_files([*given.values()])) is not None:
            one, other = twice
            text = _("{one} and {other} are the same; give each player their own hand", one=one, other=other)
            raise typer.BadParameter(text)
        return given

    def _split(self, hand: str) -> tuple[str, str]:
        """The name and the hand of an argument. Names of old sheets may have a “=”, and so may those of files."""
        signs = [place for place, letter in enumerate(hand) if letter == "="]
        named = [place for place in signs if find_name(hand[:place], self.sheet.names) is not None]
        place = max(named, default=signs[0] if signs else len(hand))
        return hand[:place], hand[place + 1 :]

    def sizes(self, given: Mapping[int, str], cards: str | None) -> dict[int, int]:
        """Return the number of cards of each seat's hand, as ``--cards`` has it.

        Raises:
            typer.BadParameter: there is not a number for each hand, or a typed hand has another one.
        """
        hands = {seat: source for seat, source in given.items() if source != _OUT}
        known = [None if is_picture(hand) else len(typed_cards(hand, self._words.face)) for hand in hands.values()]
        return dict(zip(hands, hand_sizes(cards, known), strict=False))

    def add(self, given: Mapping[int, str], sizes: Mapping[int, int] = {}) -> bool:
        """Add who went out, and the hands. False if a card cannot be read and nobody names it. ``sizes``: the numbers
        of their cards, where people counted them.

        Raises:
            BadScore: nobody went out, or a hand cannot stand on the sheet.
            typer.BadParameter: two players went out.
        """
        out = self._went_out(given)
        is_known = out is not None or self.sheet.open_round is not None or len(self.sheet.playing) - len(given) == 1
        if not is_known and (name := self._answer(_("Who went out?") + " ")):
            out = self._seat(name)
        if out is not None:
            self.sheet = self.sheet.with_winner(out)
        elif not is_known:
            raise BadScore(_("Say first who went out.") + f" ({self.sheet.names[0]}=out)")
        return all(self._add_hand(seat, hand, sizes.get(seat)) for seat, hand in given.items() if hand != _OUT)

    def mend(self, place: int, given: Mapping[int, str], sizes: Mapping[int, int] = {}) -> bool:
        """Enter the round at ``place`` (from 0) anew: who went out, and the hands that were not as told. False if a
        card cannot be read and nobody names it. Raises as `add`."""
        self.sheet.counted_round(place)  # before pictures are read
        out = self._went_out(given)
        told = dict[int, Sequence[str]]()
        for seat, source in given.items():
            if source != _OUT:
                left = self._cards_left(place, given)
                if (cards := self._cards(seat, source, left, sizes.get(seat))) is None:
                    return False
                told[seat] = cards
        self.sheet = self.sheet.mended(place, out, told)
        return True

    @staticmethod
    def _went_out(given: Mapping[int, str]) -> int | None:
        out = [seat for seat, source in given.items() if source == _OUT]
        if len(out) > 1:
            raise typer.BadParameter(_("two players are out; expected one who went out"))
        return out[0] if out else None

    def ask_for_hands(self) -> None:
        """Ask for each hand that is missing, until nobody answers."""
        while self.sheet.to_show:
            seat = self.sheet.to_show[0]
            question = _("The cards of {name}, or a picture, or camera:", name=self.sheet.names[seat])
            if not (source := self._answer(f"{question} ").strip()):
                return
            try:
                self._add_hand(seat, source)
            except BadScore as wrong:
                print(f"  {wrong}")

    def _add_hand(self, seat: int, source: str, size: int | None = None) -> bool:
        place = len(self.sheet.counted)
        if (cards := self._cards(seat, source, self._cards_left(place, [seat]), size)) is not None:
            self.sheet = self.sheet.with_hand(seat, cards)
        return cards is not None

    def _cards(self, seat: int, source: str, left: Mapping[str, int], size: int | None) -> Sequence[str] | None:
        """The cards of a hand, of those that are ``left``; None if one cannot be read and nobody names it."""
        if not is_picture(source):
            return typed_cards(source, self._words.face)
        readers, name = partial(self._readers, left), self.sheet.names[seat]
        return read_hand(name, source, readers, self._words.face, self._ask, self._config, size=size, held=left)

    def _cards_left(self, place: int, besides: Iterable[int]) -> dict[str, int]:
        """Possible faces of the cards of hands, each with the greatest number: those of the sheet's deck that no
        other hand of the round at ``place`` holds. ``besides``: the seats whose hands are entered now."""
        told = self.sheet.rounds[place].hands if place < len(self.sheet.rounds) else {}
        others = [hand for other, hand in told.items() if other not in besides]
        held = Counter(card.removesuffix("*") for hand in others for card in hand)
        return {face: n - held[face.removesuffix("*")] for face, n in self.sheet.header.ruleset.cards.items()}

    def _seat(self, name: str) -> int:
        seat = self._words.seat(name.strip())
        if seat is None:
            names = ", ".join(self.sheet.names)
            raise typer.BadParameter(_("{name} does not play; expected one of {names}", name=name, names=names))
        return seat

    def _answer(self, question: str) -> str:
        """Ask and return the typed answer; the empty text at the end of the input, and without a terminal."""
        with suppress(EOFError):
            return "" if self._question is None else self._question(question)
        return ""
