"""Libraries that may not be installed: the errors that say which extra to install."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from croupier.errors import CannotServe, CannotWrite, CroupierError, PortNotFound
from croupier.i18n import _, marked
from croupier.installer import how_to_install


@dataclass(frozen=True, slots=True)
class Extra:
    """An extra of a distribution. ``error``: raised with ``text`` where one of its libraries, the ``{module}``, is not
    installed. ``requirement``: the distribution with the extra."""

    error: type[CroupierError]
    text: str
    requirement: str


PAPER: Final = Extra(
    CannotWrite, marked("a PDF needs {module}: install croupier with its extra paper"), "croupier[paper]"
)
PICO: Final = Extra(
    PortNotFound, marked("the Pico needs {module}: install croupier with its extra pico"), "croupier[pico]"
)
WEB: Final = Extra(CannotServe, marked("the page needs {module}: install croupier with its extra web"), "croupier[web]")


@contextmanager
def requires_extra(extra: Extra) -> Iterator[None]:
    """Context in which the libraries of ``extra`` are imported.

    Raises:
        CroupierError: a library is not installed. The class is `Extra.error`.
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        text = _(extra.text, module=missing.name)
        raise extra.error(f"{text}: {how_to_install(extra.requirement)}") from missing
