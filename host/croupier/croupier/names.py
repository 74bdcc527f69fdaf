"""Names of players, teams and tables: one rule for every way in, and one for whether two names are the same.

A name is accepted as `player_name` returns it: composed (Unicode form NFC), every kind of space a plain one, joiners
only where they change what is seen. What cannot be seen, or would be read differently on another way in, is refused
with the reason. So a name that comes in on any way goes out the same on all of them.

Two names are the same person's if their `name_key` is equal. Names that stand together, at a table or in a tournament,
must also look different: `TakenNames`, by the skeleton of Unicode Technical Standard 39.

Table logs are older than this rule: their names are data, taken as they are and compared by `name_key`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import accumulate
from typing import Final
from unicodedata import category, normalize

from croupier.errors import BadName, marked, one_line

MOST_LETTERS: Final = 60
"""Letters of a name as people count them (grapheme clusters, UAX 29): full names, such as a tournament's list has."""

_USUAL_IN_LETTER: Final = 4
"""Code points of a letter in a long name: where there are more on average, so many count as a letter."""

MOST_CHARACTERS: Final = MOST_LETTERS * _USUAL_IN_LETTER
"""Code points of a name; for fields that hold names."""

_MOST_IN_LETTER: Final = 16
"""Code points of one letter: a family of four with skin colors has 11, a conjunct of five Devanagari consonants 10."""

_MOST_MARKS: Final = 4
"""Marks in a row on one letter (UTS 39, section 5.4)."""

_ZWNJ, _ZWJ = "\u200c", "\u200d"
_SPACES: Final = re.compile("[ \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
"""All of the category Zs."""
_SELECTORS: Final = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_FLAG: Final = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]+\U000e007f")
"""The flag of a part of a country: a black flag and letters that cannot be seen."""
_SKIN: Final = re.compile("[\U0001f3fb-\U0001f3ff]")
_JOINED_SCRIPTS: Final = re.compile(
    "[\u0600-\u0dff\u0f00-\u109f\u1700-\u18af\u1a20-\u1cff\ua800-\uabff\ufb50-\ufdff\ufe70-\ufefc"
    "\U00010a00-\U00010aff\U00010d00-\U00010fff\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
"""Scripts whose letters join, in which a joiner is seen: Arabic to Mandaic, of India, Tibet, Myanmar, Mongolia."""
_UNSEEN: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\uffa0\ufff0-\ufff8\ufdd0-\ufdef"
    "\U0001d159\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
)
"""Code points that cannot be seen though their categories are those of letters, marks, symbols or of nothing."""
_UNSEEN_CATEGORIES: Final = ("Cc", "Cf", "Co", "Cs", "Zl", "Zp")
_IGNORED: Final = re.compile(f"[{_ZWNJ}{_ZWJ}\ufe00-\ufe0f\U000e0100-\U000e01ef]")
"""What two names may differ in and still be the same."""

_ASCII_LOOKS: Final = str.maketrans(
    {"0": "O", "1": "l", "I": "l", "|": "l", "m": "rn", "`": "'", '"': "''", "%": "º/₀"}
)
"""The confusable characters of ASCII, so that the whole table need not be loaded for most names."""

_ARABIC_LOOKS: Final = {0x0643: "\u06a9", 0x064A: "\u06cc"}
"""Kaf and yeh of Arabic keyboards, which look as those of Persian ones inside a word; UTS 39 compares them alone."""


def player_name(text: str) -> str:
    """The name that somebody typed, as it is kept and shown everywhere.

    Raises:
        BadName: it is empty or too long, a part of it cannot be seen, or a way in would read it differently.
    """
    name = _without_idle_joiners(_SPACES.sub(" ", normalize("NFC", text)).strip())
    if not name:
        raise BadName(marked("a name is empty: expected a name that can be shown and spoken"))
    if "\N{REPLACEMENT CHARACTER}" in name:
        raise BadName(
            marked("{name}: a letter was lost (�): type it anew, or save its file as UTF-8"), name=_shown(name)
        )
    for letter in _FLAG.sub("", name):
        if _is_unseen(letter):
            text = marked("{name}: it has a character that cannot be seen (U+{code}): type the name anew")
            raise BadName(text, name=_shown(name), code=f"{ord(letter):04X}")
    if "=" in name or name[0] in "-+@":
        text = marked("{name}: expected no “=” in a name, and no “-”, “+” or “@” at its beginning")
        raise BadName(text, name=_shown(name))
    if (n := max(count_letters(name), -(-len(name) // _USUAL_IN_LETTER))) > MOST_LETTERS:
        raise BadName(marked("{name}: {n} letters: expected at most {most}"), name=_shown(name), n=n, most=MOST_LETTERS)
    if _has_piled_marks(name):
        raise BadName(marked("{name}: too many marks on one letter, or a mark without a letter"), name=_shown(name))
    return name


def name_key(name: str) -> str:
    """The key by which names are compared: equal for one person's name, however it was typed. Never raises."""
    plain = _IGNORED.sub("", _SPACES.sub(" ", normalize("NFC", name)).strip())
    return normalize("NFC", normalize("NFD", plain).casefold())


class TakenNames:
    """Names that stand together, each different from all others at a glance."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        """``names``: those that stand together already, whatever they are."""
        self._by_look: dict[tuple[str, str], str] = {}
        for name in names:
            self._take(name)

    def alike(self, name: str) -> str | None:
        """The name among them that is the same as ``name`` or looks like it."""
        return next((found for look in _looks(name) if (found := self._by_look.get(look)) is not None), None)

    def add(self, text: str) -> str:
        """Take one more name; returns it as `player_name` does.

        Raises:
            BadName: it is no name, or one of the others is the same or looks like it.
        """
        name = player_name(text)
        if (other := self.alike(name)) is not None:
            if name_key(name) == name_key(other):
                raise BadName(marked("{name} appears twice: expected different names"), name=f'"{one_line(name)}"')
            text = marked("{name} looks like {other}: expected names that people can tell apart")
            raise BadName(text, name=f'"{one_line(name)}"', other=f'"{one_line(other)}"')
        self._take(name)
        return name

    def _take(self, name: str) -> None:
        for look in _looks(name):
            self._by_look.setdefault(look, name)


def player_names(texts: Iterable[str]) -> tuple[str, ...]:
    """The names of people who play together, as `player_name` has each. Raises BadName, as `TakenNames.add`."""
    taken = TakenNames()
    return tuple(map(taken.add, texts))


def seat_names(n: int) -> tuple[str, ...]:
    """What ``n`` seats without names are called."""
    return tuple(f"Player {seat}" for seat in range(1, n + 1))


_LISTED: Final = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))(?:,|$)')


def split_names(line: str) -> list[str]:
    """The names in a line that somebody typed, with commas between them; a name with a comma stands in quotes."""
    found = (one[1].replace('""', '"') if one[1] is not None else one[2] for one in _LISTED.finditer(line))
    return [name for text in found if (name := text.strip())]


def chosen_names(names: Iterable[str], known: Sequence[str]) -> list[str]:
    """Names as they were typed, with the number of somebody known, from 1, as that name."""
    numbers = {str(n): name for n, name in enumerate(known, 1)}
    return [numbers.get(name, name) for name in names]


def numbered_names(known: Sequence[str]) -> str:
    """Known names with their numbers, as `chosen_names` takes them."""
    return ", ".join(f"{n} {name}" for n, name in enumerate(known, 1))


def join_names(names: Iterable[str]) -> str:
    """Names as `split_names` reads them."""
    return ", ".join(
        '"' + name.replace('"', '""') + '"' if "," in name or name.startswith('"') else name for name in names
    )


def find_name(name: str, names: Sequence[str]) -> int | None:
    """The place of a name among others, by `name_key`; None if it is not there, or there twice."""
    key = name_key(name)
    found = [place for place, one in enumerate(names) if name_key(one) == key]
    return found[0] if len(found) == 1 else None


def letters(text: str) -> Iterator[str]:
    """The letters of a text as people count them: grapheme clusters."""
    if text.isascii():
        return iter(text)
    from wcwidth import iter_graphemes  # for few names; the package is large

    return iter_graphemes(text)


def count_letters(text: str) -> int:
    """The number of letters of a text as people count them."""
    return len(text) if text.isascii() else sum(1 for _ in letters(text))


def shorten(text: str, most: float, size: Callable[[str], float] = lambda letter: 1) -> str:
    """The whole text, or its beginning with ``…``, in letters of which none is cut.

    ``size``: of a letter, such as its cells on a terminal; ``most``: the size of what is returned.
    """
    every = list(letters(text))
    if sum(map(size, every)) <= most:
        return text
    ends = accumulate(map(size, every), initial=size("…"))
    kept = sum(1 for end in ends if end <= most) - 1
    return "".join(every[: max(kept, 0)]).rstrip() + "…"


def _shown(name: str) -> str:
    """A name that is refused, for the message."""
    return f'"{shorten(one_line(name), MOST_LETTERS)[:MOST_CHARACTERS]}"'


def _is_unseen(letter: str) -> bool:
    if letter in (_ZWNJ, _ZWJ) or (letter.isascii() and letter.isprintable()):
        return False
    return category(letter) in _UNSEEN_CATEGORIES or _UNSEEN.match(letter) is not None or ord(letter) & 0xFFFE == 0xFFFE


def _has_piled_marks(name: str) -> bool:
    """True for a mark that stands on no letter, and for a letter with more marks or parts than any real one has."""
    if name.isascii():
        return False
    marks, before = 0, " "
    for letter in name:
        kind = category(letter)
        if kind[0] == "M" and before == " ":
            return True
        marks = marks + 1 if kind in ("Mn", "Me") else 0
        if marks > _MOST_MARKS:
            return True
        before = letter
    return any(len(letter) > _MOST_IN_LETTER for letter in letters(name))


def _without_idle_joiners(text: str) -> str:
    """The text without joiners and variation selectors that change nothing that is seen."""
    if text.isascii():
        return text
    kept = ""
    for place, letter in enumerate(text):
        if letter in (_ZWNJ, _ZWJ):
            is_needed = _is_seen_joiner(kept, letter, text[place + 1 : place + 2])
        elif _SELECTORS.match(letter):
            is_needed = bool(kept) and (category(kept[-1])[0] in "SNP" or category(kept[-1]) in ("Lo", "Cn"))
        else:
            is_needed = True
        kept += letter if is_needed else ""
    return kept


def _is_seen_joiner(before: str, joiner: str, after: str) -> bool:
    """True between letters of scripts that join, and between the parts of a picture."""
    if not before or not after:
        return False
    if _JOINED_SCRIPTS.match(before[-1]) and _JOINED_SCRIPTS.match(after):
        return category(before[-1])[0] in "LM" and category(after)[0] in "LM"
    base = _SKIN.sub("", _SELECTORS.sub("", before[-4:]))
    return joiner == _ZWJ and all(category(one) in ("So", "Sm", "Cn") for one in (base[-1:] or " ", after))


def _looks(name: str) -> list[tuple[str, str]]:
    """What a name looks like: as it is written, and in small and in large letters; and its key."""
    looks = (("as it is", name), ("small", name.casefold()), ("large", name.upper()))
    return [("key", name_key(name)), *((how, _skeleton(text)) for how, text in looks)]


def _skeleton(text: str) -> str:
    """The skeleton of UTS 39, of the compatibility form: equal for texts that look alike."""
    if text.isascii():
        return _SPACES.sub(" ", text).strip().translate(_ASCII_LOOKS)
    plain = normalize("NFD", normalize("NFKC", _IGNORED.sub("", text)))
    plain = _SPACES.sub(" ", plain).strip().replace("i\u0307", "i").replace("j\u0307", "j")
    return normalize("NFD", plain.translate(_ARABIC_LOOKS).translate(_confusables()))


@cache
def _confusables() -> dict[int, str]:
    """Unicode's confusable characters, each with its prototype.

    The package has both directions: a prototype has the list of what looks like it, all others the prototype alone.
    Its functions answer other questions, and importing them would keep 18 MB.
    """
    text = files("confusable_homoglyphs").joinpath("confusables.json").read_text(encoding="utf-8")
    alike = {one: [other["c"].strip("\u200e") for other in others] for one, others in json.loads(text).items()}
    found = {}
    for one, others in alike.items():
        if len(one) > 1 or len(others) > 1:
            continue
        (other,) = others
        if len(other) > 1 or alike.get(other) != [one] or other < one:
            found[ord(one)] = other
    return found
