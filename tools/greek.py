"""The Greek part of the sheet G7942, which is garbled in the text file of the document.

All of it is Mac-Greek bytes shown as Mac-Roman. In many lines the accented Latin letters were then read as Cyrillic
(cp1251). In others, two letters that are the bytes of one UTF-8 letter became that one ("κά" is "ο" now). What became
of "ε", "ης" and "ΧΡ" cannot be undone. Sentence and document are therefore compared by the letters that survived.
"""

from __future__ import annotations

import unicodedata
from typing import Final

_MAC_ROMAN: Final = frozenset(bytes(range(256)).decode("mac_roman"))
_CYRILLIC: Final = frozenset(bytes(range(0xC0, 0x100)).decode("cp1251"))


def survived(text: str) -> str:
    """Return readable Greek ``text`` as the document garbles it; compare with `document`."""
    return _kept(text.encode("mac_greek").decode("mac_roman").replace("ﬁ", "fi").replace("€", "¤"))


def document(text: str) -> str:
    """Return the document with Cyrillic and joined letters undone. Other languages come out garbled."""
    return _kept("".join(map(_undone, unicodedata.normalize("NFC", text).replace("ï", "i\u0308"))))


def _undone(letter: str) -> str:
    if letter in _CYRILLIC:
        return letter.encode("cp1251").decode("latin-1")
    if letter in _MAC_ROMAN or not 0x80 <= ord(letter) < 0x800:
        return letter
    return letter.encode("utf-8").decode("cp1252", "replace")


def _kept(roman: str) -> str:
    """Remove white space and "ε" (``Â``), and replace "ης" by "υ" (``˘``) and "ΧΡ" by "Χ", as in the document."""
    return "".join(roman.split()).replace("Â", "").replace("Ë˜", "˘").replace("Ãƒ", "Ã")
