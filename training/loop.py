"""Training loops: detector and reader by `fit`, the two small networks by `fit_small`.

Training is deterministic: the data of a step depend on the seed and the number of its stretch only, and one core sums
in a fixed order. An interrupted run resumes from its last complete stretch with the same result.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset

from training.parallel import on_one_core

Losses = Callable[[Any, list[Tensor]], dict[str, Tensor]]
"""Losses: from the network's output and the labels to the weighted losses by name."""
Batches = Callable[[int], IterableDataset]  # type: ignore[type-arg]
"""Data of a stretch, by its number: batches without end."""

Labels = TypeVar("Labels")

STRETCH = 500
"""Number of steps after which the state is saved."""
PROGRESS_STEPS = 100
"""Number of steps between two lines of progress."""


class Average:
    """Exponential moving average of a network's weights, in ``module``."""

    def __init__(self, net: nn.Module, steps: float) -> None:
        self.module, self._steps, self.seen = copy.deepcopy(net), steps, 0

    @torch.no_grad()
    def update(self, net: nn.Module) -> None:
        """Update the average: quickly at first, later with the weight 1/``steps``."""
        self.seen += 1
        share = 1 / min(self._steps, 2 + self.seen / 8)
        for mean, value in zip(self.module.state_dict().values(), net.state_dict().values(), strict=True):
            if mean.dtype.is_floating_point:
                mean.lerp_(value, share)
            else:
                mean.copy_(value)


def fit(
    net: nn.Module,
    batches: Batches,
    losses: Losses,
    *,
    steps: int,
    rate: float,
    to: Path,
    start: Path | None = None,
) -> None:
    """Train for a number of steps, from the weights in ``start`` if given; write the averaged weights to ``to``.

    The learning rate rises to ``rate`` and falls along a cosine. Batches are (input, *labels); inputs are uint8
    pictures or floats. Until ``to`` exists, a file of the same name with the suffix ``.part`` holds the state.
    """
    if start:
        net.load_state_dict(torch.load(start))
    on_one_core()  # another core makes the data
    net = net.to(memory_format=torch.channels_last)
    average = Average(net, 300)
    optimizer = torch.optim.AdamW(net.parameters(), rate, weight_decay=1e-3)
    part = to.with_suffix(".part")
    first = _resume(part, net, average, optimizer)
    began, sums = time.monotonic(), dict[str, float]()
    for step in range(first, steps):
        if step == first or step % STRETCH == 0:
            shown = iter(DataLoader(batches(step // STRETCH), batch_size=None, num_workers=1, prefetch_factor=4))
        for group in optimizer.param_groups:
            warm, cool = min(1.0, (step + 1) / 150), 0.5 * (1 + np.cos(np.pi * step / steps))
            group["lr"] = float(rate * warm * (0.02 + 0.98 * cool))
        x, *truth = next(shown)
        x = x.float().div_(255) if x.dtype == torch.uint8 else x
        parts = losses(net(x.contiguous(memory_format=torch.channels_last)), truth)
        optimizer.zero_grad()
        torch.stack(list(parts.values())).sum().backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 20.0)
        optimizer.step()
        average.update(net)
        sums = {name: sums.get(name, 0.0) + loss.item() for name, loss in parts.items()}
        done = step + 1
        if done % PROGRESS_STEPS == 0 or done == steps:
            progress = ", ".join(f"{name} {total / (step % PROGRESS_STEPS + 1):.3f}" for name, total in sums.items())
            took = time.monotonic() - began
            print(f"{to.parent.name}/{to.stem}: step {done} of {steps}, {took:.0f} s: {progress}", flush=True)
            sums = {}
        if done % STRETCH == 0 and done < steps:
            state = {"net": net.state_dict(), "average": average.module.state_dict(), "seen": average.seen}
            _write(state | {"optimizer": optimizer.state_dict(), "done": done}, part)
    _write(average.module.state_dict(), to)
    part.unlink(missing_ok=True)


def fit_small(
    net: nn.Module,
    batch: Callable[[], tuple[Tensor, Labels]],
    loss_of: Callable[[Tensor, Labels], Tensor],
    *,
    steps: int,
    rate: float,
) -> float:
    """Train a small classifier on each ``batch`` (input, labels) in one go. Returns the last loss.

    The learning rate falls from ``rate`` along a cosine.
    """
    on_one_core()
    net = net.to(memory_format=torch.channels_last)
    optimizer = torch.optim.AdamW(net.parameters(), rate, weight_decay=1e-2)
    loss = torch.zeros(())
    for step in range(steps):
        shown, truth = batch()
        answer = net(shown.contiguous(memory_format=torch.channels_last))
        loss = loss_of(answer, truth)
        for group in optimizer.param_groups:
            group["lr"] = rate * 0.5 * (1 + np.cos(np.pi * step / steps))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def _resume(part: Path, net: nn.Module, average: Average, optimizer: torch.optim.Optimizer) -> int:
    """Resume from the state of an earlier run. Returns its number of steps."""
    if not part.exists():
        return 0
    state = torch.load(part)
    net.load_state_dict(state["net"])
    average.module.load_state_dict(state["average"])
    average.seen = state["seen"]
    optimizer.load_state_dict(state["optimizer"])
    print(f"going on after step {state['done']}", flush=True)
    return int(state["done"])


def _write(what: Any, to: Path) -> None:
    """Write atomically."""
    to.parent.mkdir(parents=True, exist_ok=True)
    temporary = to.with_name(to.name + ".new")
    torch.save(what, temporary)
    temporary.replace(to)
