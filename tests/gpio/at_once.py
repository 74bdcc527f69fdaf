"""A supervisor for tests, which opens its part in the thread that starts it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from croupier.errors import CroupierError


class AtOnce:
    """A supervisor without a thread: it opens when it is started."""

    def __init__(
        self, name: str, open_part: Callable[[], Any], report: Callable[[str], None], *, use: Any, stay: Any = None
    ) -> None:
        self._open, self._report, self._use = open_part, report, use
        self._part: Any = None

    def start(self) -> None:
        try:
            self._part = self._open()
        except (CroupierError, OSError) as err:
            self._report(str(err))
        else:
            self._use(self._part)

    def close(self) -> None:
        if self._part is not None:
            self._use(None)
            self._part.close()
