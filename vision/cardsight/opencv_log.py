"""Which messages OpenCV prints: its name for that depends on its version."""

from __future__ import annotations

from typing import Any, Final

import cv2

SILENT: Final = 0
ERRORS: Final = 2


def set_log_level(level: int) -> int:
    """Set the level of the messages that are printed, and return the one before."""
    log: Any = getattr(cv2.utils, "logging", cv2)  # up to OpenCV 4.12 it is no module of its own
    before = int(log.getLogLevel())
    log.setLogLevel(level)
    return before
