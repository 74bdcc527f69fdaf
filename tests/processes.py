"""Processes that begin as a fork, and yet of one thread: a fork of a test's own process may find a lock taken for ever
by a thread that is not in it."""

from __future__ import annotations

import os
import sys
from multiprocessing import get_context
from multiprocessing.context import ForkServerContext
from unittest import mock


def forks_of(module: str) -> ForkServerContext:
    """Where processes are forked from one that has imported ``module`` and does nothing else."""
    from multiprocessing.forkserver import ensure_running

    context = get_context("forkserver")
    context.set_forkserver_preload([module])
    with mock.patch.dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path)):
        ensure_running()
    return context
