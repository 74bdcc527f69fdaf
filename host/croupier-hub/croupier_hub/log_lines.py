"""The log of a hub as JSON, a line for each entry, for programs that collect logs: ``--log json``.

Each object has ``time`` (UTC, ISO 8601), ``level``, ``from`` (the module), ``text``, and where an error has one its
``trace``.
"""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Final, TextIO

FORMS: Final = ("text", "json")

LOG: Final = logging.getLogger("croupier_hub")
"""For what a hub says of itself."""


class JsonLines(logging.Formatter):
    """Formats an entry as one JSON object in one line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        entry = {"time": time, "level": record.levelname.lower(), "from": record.name, "text": record.getMessage()}
        if record.exc_info:
            entry["trace"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False)


def log_as(form: str, stream: TextIO | None = None) -> None:
    """Write the log of this process in a form, to ``stream`` or stderr; "text" changes nothing."""
    if form != "json":
        return
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.captureWarnings(capture=True)
    LOG.setLevel(logging.INFO)
