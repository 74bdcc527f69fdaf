"""Parallel jobs, one core each: networks of this size train faster side by side than one on two cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import cv2
import torch

CORES = 2


def run_parallel(jobs: Sequence[Callable[[], Any]]) -> list[Any]:
    """Run the jobs in order, each in a process of its own. Returns their results. Raises the first error of a job."""
    with ProcessPoolExecutor(CORES, get_context("spawn"), on_one_core) as parallel:
        try:
            return [done.result() for done in [parallel.submit(job) for job in jobs]]
        except BaseException:
            parallel.shutdown(cancel_futures=True)
            raise


def on_one_core() -> None:
    """Limit OpenCV and PyTorch of this process to one core. Sums are then computed in a fixed order."""
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
