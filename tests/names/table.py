"""Names as people and their machines type them: what each becomes on every way in, and which look alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

TOO_LONG, UNSEEN, LOST, SIGN, MARKS, EMPTY = (
    "letters: expected",
    "cannot be seen",
    "was lost",
    "no “=”",
    "marks",
    "empty",
)
"""What the reason of a refusal says."""


@dataclass(frozen=True)
class Typed:
    """``kept``: what it becomes; None if it is refused, since it is or has ``why``."""

    id: str
    text: str
    kept: str | None = None
    why: str = ""

    @classmethod
    def same(cls, id_: str, text: str) -> Typed:
        """A name that goes out as it came in."""
        return cls(id_, text, text)


NAMES: Final = (
    Typed.same("plain", "Ann"),
    Typed("spaces at its ends and between", "  Mary   Ann ", "Mary Ann"),
    Typed("no-break space", "Eva\u00a0Lena", "Eva Lena"),
    Typed("ideographic space", "山田\u3000太郎", "山田 太郎"),
    Typed("thin space", "Jean\u2009Luc", "Jean Luc"),
    Typed.same("composed", "Zo\u00eb"),
    Typed("decomposed, as a Mac types it", "Chloe\u0301", "Chlo\u00e9"),
    Typed("Vietnamese, decomposed", "Nguye\u0302\u0303n Thi\u0323 Huye\u0302\u0300n", "Nguyễn Thị Huyền"),
    Typed("Hangul of single letters", "\u1100\u1175\u11b7\u1106\u1175\u11ab", "김민"),
    Typed.same("Devanagari", "नमिता क्षत्रिय"),
    Typed.same("Sinhala with a joiner", "ශ්\u200dරී"),
    Typed.same("Thai", "สมชาย ใจดี"),
    Typed.same("Persian with a non-joiner", "دوست\u200cمن"),
    Typed("non-joiner at the end", "علی\u200c", "علی"),
    Typed("joiner between Latin letters", "Ki\u200dm", "Kim"),
    Typed.same("Hebrew", "דנה כהן"),
    Typed.same("Turkish", "İsmail Yıldız"),
    Typed.same("family", "👨\u200d👩\u200d👧\u200d👦"),
    Typed.same("flags", "🇩🇪🇫🇷"),
    Typed.same("flag of a part of a country", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"),
    Typed.same("skin tone", "Bo 👍🏽"),
    Typed.same("keycap", "Lea 1\ufe0f\u20e3"),
    Typed.same("newer than Python's Unicode", "Joe \U0001fae9"),
    Typed.same("comma", "Smith, Tom"),
    Typed.same("semicolon", "Max; Club A"),
    Typed.same("quotation marks", '"Doc" O\'Neil'),
    Typed.same("markup", "<b>Ida</b> [red]{name}"),
    Typed.same("as long as may be", "Ä" * 60),
    Typed("nothing", "", why=EMPTY),
    Typed("a space", " \u2003", why=EMPTY),
    Typed("equals sign", "A=B", why=SIGN),
    Typed("like an option", "-Ann", why=SIGN),
    Typed("like a formula", "+1", why=SIGN),
    Typed("turned around", "\u202eAnn", why=UNSEEN),
    Typed("isolated", "\u2066Ann\u2069", why=UNSEEN),
    Typed("zero-width space", "An\u200bn", why=UNSEEN),
    Typed("Hangul filler", "\u3164", why=UNSEEN),
    Typed("two lines", "Ann\nBen", why=UNSEEN),
    Typed("escape", "\x1b[31mAnn", why=UNSEEN),
    Typed("wrong encoding", "Zo\ufffd", why=LOST),
    Typed("300 letters", "x" * 300, why=TOO_LONG),
    Typed("piled marks", "Z\u0335\u0317\u0308\u0301\u0302o", why=MARKS),
    Typed("a mark alone", "\u0301", why=MARKS),
)
"""Any two of those that are kept can stand together."""

ACCEPTED: Final = tuple(one for one in NAMES if one.kept is not None)
REFUSED: Final = tuple(one for one in NAMES if one.kept is None)

ALIKE: Final = (
    ("Zo\u00eb", "Zoe\u0308"),
    ("Ann", "ann"),
    ("Ann", "\u0410nn"),  # Cyrillic A
    ("HANS", "\u0397ANS"),  # Greek Eta
    ("Hans", "\u041dANS"),  # Cyrillic En
    ("Mary Ann", "Mary\u2007Ann"),
    ("Ann", "\uff21\uff4e\uff4e"),  # full width
    ("Ann", "A\u200dnn"),
    ("دوست\u200cمن", "دوستمن"),
    ("كريم", "کريم"),  # Arabic and Persian kaf
    ("Ian", "lan"),
    ("Player 1", "Player l"),
    ("Bob O", "Bob 0"),
    ("Ida ☺", "Ida ☺\ufe0f"),
    ("Strauß", "Strauss"),
    ("Işık", "işık"),
    ("\ufb01nn", "finn"),
)
"""Pairs of which only one can stand at a table."""

DIFFERENT: Final = (("Ian", "Lan"), ("Zoe", "Zo\u00eb"), ("Ali", "Eli"), ("Jo 👍", "Jo 👍🏽"), ("Müller", "Muller"))
"""Pairs that people can tell apart."""
