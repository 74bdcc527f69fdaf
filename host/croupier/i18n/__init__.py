"""Translation of every text that people see: `translation` says how."""

from croupier.errors import marked
from croupier.i18n.translation import (
    HERE,
    LANGUAGES,
    _,
    chosen,
    compiled,
    known,
    language,
    localize,
    ngettext,
    of_browser,
    of_terminal,
    speaking,
    use,
)

__all__ = [
    "HERE",
    "LANGUAGES",
    "_",
    "chosen",
    "compiled",
    "known",
    "language",
    "localize",
    "marked",
    "ngettext",
    "of_browser",
    "of_terminal",
    "speaking",
    "use",
]
