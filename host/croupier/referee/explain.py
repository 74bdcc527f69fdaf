"""Rulings and observations as sentences, in the language of the ruleset or in another.

The sentences are templates in ``texts/<language>.toml``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from typing import Any

from croupier.cards import BACK
from croupier.errors import one_line
from croupier.referee.header import Header
from croupier.referee.observations import Fault, Observation
from croupier.referee.rulings import ChallengeOutcome, Ruling
from croupier.rules import Basis


@dataclass(frozen=True, slots=True)
class Explanation:
    """A ruling as text: the ruling with what to do now, and its source (sentence of the sheet, proposed reading)."""

    text: str
    source: str


class Explainer:
    """Explains what is seen and ruled at the table of ``header``.

    ``language``: an ISO 639-1 code; without, that of the ruleset. Sentences of the document stay in its own.
    """

    def __init__(self, header: Header, language: str | None = None) -> None:
        self._header = header
        self._texts = _load(language or header.ruleset.language)

    def seen(self, observation: Observation, on_turn: int | None = None) -> str:
        """Describe an observation; ``on_turn`` is the seat that is meant where the observation names none."""
        is_simulation = isinstance(observation, Fault) and observation.is_simulation
        name = "simulation" if is_simulation else observation.name
        text = self._texts["seen"][name]
        if isinstance(text, dict):
            text = next(words for field, words in text.items() if getattr(observation, field) is not None)
        words = self._words(observation)
        if words.get("seat", "") is None:
            words["seat"] = self._texts["nobody"] if on_turn is None else self._name(on_turn)
        return _filled(text, words)

    def said(self, ruling: Ruling) -> Explanation:
        """Explain a ruling."""
        return Explanation(self._sentence(ruling, self._texts["said"]), self._source(ruling.basis))

    def spoken(self, ruling: Ruling) -> str:
        """Return the ruling as a sentence for the voice, shorter where the language has a shorter one."""
        return self._sentence(ruling, self._texts["spoken"])

    def call(self, what: str, seat: int | None = None) -> str:
        """What the voice says beside rulings, to ``seat`` or to all: ``paused``, what a phase waits for, or one of the
        language's ``calls``."""
        texts = self._texts["waits"] | self._texts["position"] | self._texts["calls"]
        return _filled(texts[what], {"seat": "" if seat is None else self._name(seat)})

    def _sentence(self, ruling: Ruling, texts: Mapping[str, Any]) -> str:
        text = texts[ruling.name]
        if isinstance(text, dict):
            text = text[_variant(ruling, text)]
        return _filled(text, self._words(ruling))

    def standing(self, position: Mapping[str, Any]) -> str:
        """Describe a ``position``: turn, color, up-card, what the table waits for, debts and catchable seats."""
        texts, phase, turn = self._texts["position"], position["phase"], position["turn"]
        sentences = []
        if turn is not None:
            direction = self._word("direction", position["direction"])
            sentences.append(_filled(self._texts["said"]["turn"], {"seat": self._name(turn), "direction": direction}))
        if position["color"]:
            sentences.append(_filled(self._texts["said"]["color"], {"color": self._word("color", position["color"])}))
        if position["top"]:
            sentences.append(_filled(texts["up"], {"card": self.card(position["top"])}))
        waits = texts["paused"] if phase == "paused" else self._texts["waits"][phase]
        sentences.append(_filled(waits, {"seat": "" if turn is None else self._name(turn)}))
        for seat, n in position["owed"].items():
            sentences.append(_filled(texts["owes"], {"seat": self._name(int(seat)), "n": self._word("n", n)}))
        if position["catchable"]:
            sentences.append(_filled(texts["catchable"], {"seats": self._word("seats", position["catchable"])}))
        return " ".join(sentences)

    def _source(self, basis: Basis) -> str:
        if basis.rule is None:
            return str(self._texts["unwritten"])
        sentences = []
        if basis.chosen:
            sentences.append(_filled(self._texts["chosen"], _of_basis(basis)))
        if basis.quote:
            key = "document" if basis.quoted_from is None else "document_from"
            sentences.append(_filled(self._texts[key], _of_basis(basis)))
        if basis.restored:
            sentences.append(self._texts["restored"])
        if basis.proposed is not None:
            sentences.append(_filled(self._texts["proposed"], _of_basis(basis)))
        return " ".join(sentences) or _filled(self._texts["no_sentence"], _of_basis(basis))

    def _words(self, value: Observation | Ruling) -> dict[str, Any]:
        """The fields of an observation or a ruling as people say them."""
        return {item.name.rstrip("_"): self._word(item.name, getattr(value, item.name)) for item in fields(value)}

    def _word(self, field: str, value: Any) -> Any:
        if value is None:
            return None
        match field:
            case "seat" | "by" | "to" | "from_" if isinstance(value, int):
                return self._name(value)
            case "counts":
                return ", ".join(f"{self._name(seat)} {n}" for seat, n in enumerate(value) if n)
            case "seats":
                return self._names(value)
            case "team":
                return self._names(self._header.teams[value])
            case "n" | "owed":
                return self._count(value)
            case "card":
                return self.card(value)
            case "cards" if value and set(value) == {BACK}:
                return self._count(len(value))
            case "cards":
                return ", ".join(map(self.card, value)) or self._count(0)
            case "color" | "direction":
                return self._texts[field][value]
            case _:
                return one_line(value) if isinstance(value, str) else value

    def card(self, face: str) -> str:
        """The name of a card."""
        if face in self._texts["wild"]:
            custom = self._header.options.custom if face == "wild-blank" else None
            written = f" ({one_line(custom.text)})" if custom else ""
            return f"{self._texts['wild'][face]}{written}"
        color, _, symbol = face.partition("-")
        actions = self._texts["action"]
        if symbol in actions:
            return _filled(self._texts["action_card"][color], {"action": actions[symbol]})
        return _filled(self._texts["number_card"][color], {"number": symbol})

    def _count(self, n: int) -> str:
        """``n`` cards. ``few`` is for languages that say 2, 3, 4, 22, … otherwise than 5."""
        forms = self._texts["count"]
        form = {0: "none", 1: "one"}.get(n, "other")
        if n % 10 in (2, 3, 4) and n % 100 not in (12, 13, 14):
            form = "few"
        return _filled(forms.get(form, forms["other"]), {"n": n})

    def _names(self, seats: Sequence[int]) -> str:
        """The names of several seats: Ann, Ben and Cat."""
        *before, last = [self._name(seat) for seat in seats] or [self._texts["nobody"]]
        return self._texts["and"].join((", ".join(before), last)) if before else str(last)

    def _name(self, seat: int) -> str:
        return one_line(self._header.seats[seat])


def _variant(ruling: Ruling, texts: dict[str, str]) -> str:
    """The key of the text for a ruling: a word of the ruling, or the field that is set."""
    if isinstance(ruling, ChallengeOutcome):
        return "guilty" if ruling.guilty else "innocent"
    words = [getattr(ruling, item.name) for item in fields(ruling)[1:]]
    named = [word for word in words if isinstance(word, str) and word in texts]
    return named[0] if named else next(name for name in texts if getattr(ruling, name) is not None)


def _of_basis(basis: Basis) -> dict[str, Any]:
    return {
        "rule": basis.rule,
        "quote": basis.quote,
        "source": basis.quoted_from,
        "proposed": basis.proposed,
    }


def _filled(text: str, words: dict[str, Any]) -> str:
    filled = text.format_map(words)
    # A card that begins a sentence begins with a capital letter; names stay as their owners write them.
    return filled[:1].upper() + filled[1:] if text.startswith("{card}") else filled


@cache
def _load(language: str) -> dict[str, Any]:
    file = resources.files(__package__) / "texts" / f"{language}.toml"
    texts = tomllib.loads(file.read_text(encoding="utf-8"))
    # The voice uses the full sentence where there is no shorter one.
    shorter = texts["spoken"]
    texts["spoken"] = {name: _instead(text, shorter.get(name, {})) for name, text in texts["said"].items()}
    return texts


def _instead(text: Any, shorter: Any) -> Any:
    """``shorter`` in place of ``text``, as far as it goes where both have variants."""
    if isinstance(text, dict) and isinstance(shorter, dict):
        return text | shorter
    return shorter or text
