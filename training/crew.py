"""Two things at a time: networks as small as ours learn faster side by side, a core each, than one on two cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import cv2
import torch

CORES = 2


def side_by_side(jobs: Sequence[Callable[[], object]]) -> None:
    """Do them, the first ones first, each in a process of its own kind. Raises what one of them raises."""
    with ProcessPoolExecutor(CORES, get_context("spawn"), on_one_core) as crew:
        try:
            for done in [crew.submit(job) for job in jobs]:
                done.result()
        except BaseException:
            crew.shutdown(cancel_futures=True)
            raise


def on_one_core() -> None:
    """Let neither OpenCV nor PyTorch of this process use more than a core. Sums come in the same order then."""
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
