"""Rulings and observations as sentences, in the language of the ruleset or in another.

The sentences are templates in ``texts/<language>.toml``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib import resources
from typing import Any

from croupier_rules.cards import BACK, CARDS, COLOR_SIGNS, OWN_SYMBOLS
from croupier_rules.errors import one_line
from croupier_rules.referee import rulings
from croupier_rules.referee.fields import PositionFields
from croupier_rules.referee.header import Header
from croupier_rules.referee.observations import Fault, Observation, Overrule, PlayerChange
from croupier_rules.rules import Basis, RuleSet


@dataclass(frozen=True, slots=True)
class Explanation:
    """A ruling as text: the ruling with what to do now, and its source (sentence of the sheet, proposed reading)."""

    text: str
    source: str


class _CardName(str):
    """The name of a card: ``{card}`` is the name alone, ``{card:the}`` the name with its article."""

    def __new__(cls, name: str, article: str) -> _CardName:
        self = super().__new__(cls, name)
        self._article = article
        return self

    _article: str

    def __format__(self, form: str) -> str:
        return self._article + self if form == "the" else super().__format__(form)


class Explainer:
    """Turns observations and rulings at the table of ``header`` into sentences.

    ``language``: an ISO 639-1 code; without, that of the ruleset. Sentences of the document stay in its own.
    """

    def __init__(self, header: Header, language: str | None = None) -> None:
        self._header = header
        self._language = language or header.ruleset.language
        self._texts, self._own = _load(self._language), _own_names(self._language)
        self._you: int | None = None
        """The seat of the player who reads the sentences."""

    @property
    def ruleset(self) -> RuleSet:
        """The rules of the table."""
        return self._header.ruleset

    def naming(self, names: tuple[str, ...]) -> Explainer:
        """The same for a table where these players sit now (none: nobody has changed)."""
        if not names or names == self._header.seats:
            return self
        other = copy(self)
        other._header = replace(self._header, seats=names)
        return other

    def to_player(self, seat: int | None) -> Explainer:
        """The same for the player of ``seat`` alone, who is addressed in the second person (None: for everybody)."""
        if seat == self._you:
            return self
        other = copy(self)
        other._you = seat
        return other

    def seen(self, observation: Observation, on_turn: int | None = None) -> str:
        """Describe an observation; ``on_turn`` is the seat that is meant where the observation names none."""
        if isinstance(observation, Overrule) and observation.player is not None:
            change = observation.player
            text = self._text("player", change.does, change.seat, change.with_, other=f"{change.does} seats")
            return _filled(text, self._words(change))
        match observation:
            case Overrule(set={"dealer": int(seat), **others}) if not others:
                return _filled(self._text("said", "dealer", seat), {"seat": self._name(seat)})
        is_simulation = isinstance(observation, Fault) and observation.is_simulation
        name = "simulation" if is_simulation else observation.name
        words = self._words(observation)
        actor = getattr(observation, "seat", None) if words.get("seat", "") is not None else on_turn
        if words.get("seat", "") is None:
            words["seat"] = self._texts["nobody"] if on_turn is None else self._name(on_turn)
        text = self._text("seen", name, actor, getattr(observation, "with_", None))
        if isinstance(text, dict):
            text = next(words for field, words in text.items() if getattr(observation, field) is not None)
        return _filled(text, words)

    def _text(self, part: str, name: str, seat: int | None, *others: object, other: str = "") -> Any:
        """Return a text about ``seat`` and ``others``: in the second person if one of them reads it."""
        text = self._texts[part][name]
        if self._you is None:
            return text
        if seat == self._you:
            return _instead(text, self._texts["you"].get(part, {}).get(name, {}))
        if self._you in others:
            return _instead(text, self._texts["you"]["other"].get(other or name, {}))
        return text

    def explain(self, ruling: rulings.Ruling) -> Explanation:
        """Explain a ruling."""
        return Explanation(self._sentence(ruling, "said"), self._source(ruling.basis))

    def spoken(self, ruling: rulings.Ruling) -> str:
        """Return the ruling as a sentence for the voice, shorter where the language has a shorter one."""
        return self._sentence(ruling, "spoken")

    def call(self, what: str, seat: int | None = None) -> str:
        """Return a sentence that the voice says in addition to rulings, to ``seat`` or to all players: ``paused``, a
        phase that waits for somebody, or one of the language's ``calls``."""
        texts = self._texts["waits"] | self._texts["position"] | self._texts["calls"]
        return _filled(texts[what], {"seat": "" if seat is None else self._name(seat)})

    def _sentence(self, ruling: rulings.Ruling, part: str) -> str:
        seat, others = getattr(ruling, "seat", None), [getattr(ruling, role, None) for role in ("by", "to", "from_")]
        words = self._words(ruling)
        match ruling:
            case rulings.Illegal(waits=str(phase), on=on, n=n):
                text = self._texts["position"]["paused"] if phase == "paused" else self._waits(phase, on)
                words["waits"] = _filled(text, {"seat": "" if on is None else self._name(on), "n": self._word("n", n)})
        match ruling:
            case rulings.PickAgain(seats=seats) | rulings.MayChallenge(seats=seats) if (
                "{seat}" in self._texts[part][ruling.name]
            ):
                texts = [(self._text(part, ruling.name, one), one) for one in seats]
                is_mine = self._you in seats
                return " ".join(
                    _filled(text, {"seat": self._name(one)}) for text, one in texts if not is_mine or one == self._you
                )
            case rulings.Score(team=int(team)) | rulings.GameOver(team=int(team)):
                together: Sequence[int] = self._header.teams[team]
            case rulings.GameOver(seats=tuple(together)):
                pass
            case _:
                together = ()
        if self._you is not None and self._you in together:
            seat = self._you
            words["others"] = self._names([one for one in together if one != self._you])
        name = ruling.name
        if isinstance(ruling, rulings.RoundOver | rulings.Eliminated) and ruling.rule == "hand.limit":
            name = "last_one_left" if isinstance(ruling, rulings.RoundOver) else "knocked_out"
        if isinstance(ruling, rulings.ChooseSeat) and ruling.basis.chosen == "may-swap":
            name = "may_choose_seat"
        if isinstance(ruling, rulings.MayStack) and part == "said" and self._may_hand_on:
            name = "may_hand_on"
        text = self._text(part, name, seat, *others)
        why = ruling.why if isinstance(ruling, rulings.Draw) else ""
        if (why in self._own or why.isdigit()) and isinstance(text, dict):
            text, words = text["card"], words | {"card": self._own.get(why, why)}
        elif isinstance(text, dict):
            text = text[_variant(ruling, text, self._is_own(ruling.basis))]
        # A log of an earlier version does not say what the table waited for.
        return _filled(text if words.get("waits", "") is not None else text.replace("{waits} ", ""), words)

    @property
    def _may_hand_on(self) -> bool:
        """True if a draw card may be answered with a card that is none (``stack.bounce``)."""
        return self._header.ruleset.value("stack.bounce") != "no"

    def _waits(self, phase: str, seat: int | None) -> Any:
        """The text of what the table waits for."""
        is_handed_on = phase == "stack" and self._may_hand_on
        return self._text("said", "may_hand_on", seat) if is_handed_on else self._text("waits", phase, seat)

    def _is_own(self, basis: Basis) -> bool:
        """True if the ruling rests on a rule that the classic sheets do not have: of the table, or of its deck."""
        played = () if basis.rule is None else (self._header.ruleset.value(basis.rule),)
        return (
            basis.chosen is not None or basis.rule == "card.own" or played in (("until-it-fits",), ("equal-or-more",))
        )

    def standing(self, position: PositionFields) -> str:
        """Describe a ``position``: turn, color, up-card, what the table waits for, debts and catchable seats."""
        phase, turn = position["phase"], position["turn"]
        sentences = []
        if turn is not None:
            words = {"seat": self._name(turn), "direction": self._word("direction", position["direction"])}
            sentences.append(_filled(self._text("said", "turn", turn), words))
        if position["color"]:
            sentences.append(_filled(self._texts["said"]["color"], {"color": self.color(position["color"])}))
        if position["top"]:
            sentences.append(_filled(self._texts["position"]["up"], {"card": self._word("card", position["top"])}))
        waits = self._texts["position"]["paused"] if phase == "paused" else self._waits(phase, turn)
        words = {"seat": "" if turn is None else self._name(turn), "n": self._word("n", position.get("stack", 0))}
        sentences.append(_filled(waits, words))
        for seat, n in ((int(seat), n) for seat, n in position["owed"].items()):
            words = {"seat": self._name(seat), "n": self._word("n", n)}
            sentences.append(_filled(self._text("position", "owes", seat), words))
        caught = ((self._text("position", "catchable", seat), self._name(seat)) for seat in position["catchable"])
        sentences += [_filled(text, {"seat": name}) for text, name in caught]
        return " ".join(sentences)

    def _source(self, basis: Basis) -> str:
        if basis.led_by is not None:
            return self._source(basis.led_by)
        if basis.rule is None:
            return str(self._texts["unwritten"])
        sentences = []
        if basis.chosen is not None:
            sentences.append(self._chosen(basis))
        if basis.quote:
            key = "own_words" if basis.own_words else "document" if basis.quoted_from is None else "document_from"
            sentences.append(_filled(self._texts[key], _of_basis(basis)))
        if basis.restored:
            sentences.append(self._texts["restored"])
        if basis.proposed is not None:
            sentences.append(_filled(self._texts["proposed"], _of_basis(basis)))
        return " ".join(sentences) or _filled(self._texts["no_sentence"], _of_basis(basis))

    def _chosen(self, basis: Basis) -> str:
        """The table's own choice, with a sentence of ours where there is one for the rule or its value."""
        own = self._texts["own"]
        family = str(basis.rule).partition(".")[0]
        sentence = own.get(f"{family} {basis.part}", own.get(f"{basis.rule}={basis.chosen}", own.get(basis.rule)))
        if sentence is None:
            return _filled(self._texts["chosen"], _of_basis(basis))
        n = self._count(basis.chosen) if isinstance(basis.chosen, int) else ""
        words = _of_basis(basis) | {"sentence": sentence.format(n=n, value=basis.chosen)}
        return _filled(self._texts["chosen_rule"], words)

    def _words(self, value: Observation | PlayerChange | rulings.Ruling) -> dict[str, Any]:
        """The fields of an observation or a ruling as people say them."""
        return {item.name.rstrip("_"): self._word(item.name, getattr(value, item.name)) for item in fields(value)}

    def _word(self, field: str, value: Any) -> Any:
        if value is None:
            return None
        match field:
            case "seat" | "by" | "to" | "from_" | "with_" if isinstance(value, int):
                return self._name(value)
            case "counts" | "hands":
                return ", ".join(f"{self._name(seat)} {n}" for seat, n in enumerate(value) if n)
            case "seats":
                return self._names(value)
            case "team":
                return self._names(self._header.teams[value])
            case "n" | "owed":
                return self._count(value)
            case "points":
                return self._count(value, "points")
            case "card":
                return _CardName(self.card(value), self._article(value))
            case "cards" if value and set(value) == {BACK}:
                return self._count(len(value))
            case "cards":
                return ", ".join(map(self.card, value)) or self._count(0)
            case "color":
                return self.color(value)
            case "direction":
                return self._texts[field][value]
            case _:
                return one_line(value) if isinstance(value, str) else value

    def card(self, face: str) -> str:
        """The name of a card."""
        custom = self._header.options.custom if face == "wild-blank" else None
        return card_name(face, self._language) + (f" ({one_line(custom.text)})" if custom else "")

    def _article(self, face: str) -> str:
        """The article of a card, in languages where it depends on the card."""
        articles = self._texts.get("article", {"default": ""})
        color, _, symbol = face.partition("-")
        if color in COLOR_SIGNS:
            return ""
        return str(articles.get(symbol if color in self._texts["color"] else face, articles["default"]))

    def color(self, color: str) -> str:
        """The word for a color."""
        own = COLOR_SIGNS.get(color)
        return str(self._texts["color"][color] if own is None else own["names"][self._language])

    def action(self, action: str) -> str:
        """The name of an action, such as ``skip``, as it is in the names of cards."""
        return str(self._own.get(action) or self._texts["action"][action])

    def _count(self, n: int, of: str = "count") -> str:
        """``n`` cards, or of what ``of`` says. ``few`` is for languages that say 2, 3, 4, 22, … otherwise than 5."""
        forms = self._texts[of]
        form = {0: "none", 1: "one"}.get(n, "other")
        if n % 10 in (2, 3, 4) and n % 100 not in (12, 13, 14):
            form = "few"
        return _filled(forms.get(form, forms["other"]), {"n": n})

    def _names(self, seats: Sequence[int]) -> str:
        """The names of several seats: Ann, Ben and Cat."""
        *before, last = [self._name(seat) for seat in seats] or [self._texts["nobody"]]
        return self._texts["and"].join((", ".join(before), last)) if before else str(last)

    def _name(self, seat: int) -> str:
        return str(self._texts["you"]["name"]) if seat == self._you else one_line(self._header.seats[seat])


def card_name(face: str, language: str) -> str:
    """The name of a card in a language."""
    texts, own = _load(language), _own_names(language)
    if face in texts["wild"]:
        return str(texts["wild"][face])
    if face in own:
        return own[face]
    color, _, symbol = face.partition("-")
    actions = texts["action"] | own
    if color in COLOR_SIGNS:
        return _filled(COLOR_SIGNS[color]["cards"][language], {"symbol": actions.get(symbol, symbol)})
    if symbol in actions:
        return _filled(texts["action_card"][color], {"action": actions[symbol]})
    return _filled(texts["number_card"][color], {"number": symbol})


@cache
def _own_names(language: str) -> dict[str, str]:
    """The names of cards and symbols that decks have of their own."""
    return {symbol: str(CARDS[symbol]["names"][language]) for symbol in OWN_SYMBOLS}


def _variant(ruling: rulings.Ruling, texts: dict[str, str], is_own: bool) -> str:
    """Return the key of the text for a ruling: a word of the ruling, or the name of the field that is set. ``is_own``:
    the rule belongs to none of the classic sheets."""
    if isinstance(ruling, rulings.ChallengeOutcome):
        return "guilty" if ruling.guilty else "innocent"
    words = [getattr(ruling, item.name) for item in fields(ruling)[1:]]
    named = [word for word in words if isinstance(word, str) and word in texts]
    if named and is_own:
        # What such a rule refuses for another reason has a text of its own.
        own = f"{named[0]} {str(ruling.basis.rule).partition('.')[0]}"
        named = [own, *named] if own in texts else named
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
    return filled[:1].upper() + filled[1:] if text.startswith(("{card}", "{card:the}")) else filled


@cache
def _load(language: str) -> dict[str, Any]:
    file = resources.files(__package__) / "texts" / f"{language}.toml"
    texts = tomllib.loads(file.read_text(encoding="utf-8"))
    # The voice uses the full sentence where there is no shorter one, and speaks to all.
    shorter = texts["spoken"]
    texts["spoken"] = {name: _instead(text, shorter.get(name, {})) for name, text in texts["said"].items()}
    return texts


def _instead(text: Any, shorter: Any) -> Any:
    """``shorter`` in place of ``text``, as far as it goes where both have variants."""
    if isinstance(text, dict) and isinstance(shorter, dict):
        return text | shorter
    return shorter or text
