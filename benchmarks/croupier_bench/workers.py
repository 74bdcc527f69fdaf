"""Processes that measure side by side, one core each."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from threading import Thread

import cv2


def workers() -> ProcessPoolExecutor:
    """Return a pool with a process for each core. The processes end with this one, also after a crash."""
    return ProcessPoolExecutor(mp_context=get_context("spawn"), initializer=_begin)


def _begin() -> None:
    cv2.setNumThreads(1)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
