"""How the networks learn: finder and reader by `fit`, the two small ones by `fit_small`.

Same seed, same weights: what a step is shown depends on the seed and the number of its stretch alone, and one core adds
up in one order. So a run that was broken off goes on from its last whole stretch as if it had not been.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset

from training.crew import on_one_core

Losses = Callable[[Any, list[Tensor]], dict[str, Tensor]]
"""From what the network answered and what is true: the losses by name, already weighed against each other."""
Batches = Callable[[int], IterableDataset]  # type: ignore[type-arg]
"""What the steps of a stretch are shown, by its number: batches without end."""

STRETCH = 500
"""Steps after which the state is kept."""
TOLD = 100
"""Steps from one line of progress to the next."""


class Average:
    """Keeps ``module``, an average of the weights of a network in training that forgets its beginnings."""

    def __init__(self, net: nn.Module, steps: float) -> None:
        self.module, self._steps, self.seen = copy.deepcopy(net), steps, 0

    @torch.no_grad()
    def update(self, net: nn.Module) -> None:
        """Move towards the network: fast at the start, later by one part in ``steps``."""
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
    """Train for so many steps, from the weights in ``start`` if given, and leave the averaged weights in ``to``.

    The learning rate rises to ``rate`` and falls again along a cosine. Batches are (input, *truth) in pictures of
    uint8, or floats. Until ``to`` is there, the file beside it ending in ``.part`` holds what has been done so far.
    """
    if start:
        net.load_state_dict(torch.load(start))
    on_one_core()  # another makes what it is shown
    net = net.to(memory_format=torch.channels_last)
    average = Average(net, 300)
    optimizer = torch.optim.AdamW(net.parameters(), rate, weight_decay=1e-3)
    part = to.with_suffix(".part")
    first = _taken_up(part, net, average, optimizer)
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
        if done % TOLD == 0 or done == steps:
            told = ", ".join(f"{name} {total / (step % TOLD + 1):.3f}" for name, total in sums.items())
            took = time.monotonic() - began
            print(f"{to.parent.name}/{to.stem}: step {done} of {steps}, {took:.0f} s: {told}", flush=True)
            sums = {}
        if done % STRETCH == 0 and done < steps:
            state = {"net": net.state_dict(), "average": average.module.state_dict(), "seen": average.seen}
            _written(state | {"optimizer": optimizer.state_dict(), "done": done}, part)
    _written(average.module.state_dict(), to)
    part.unlink(missing_ok=True)


def fit_small(
    net: nn.Module, batch: Callable[[], tuple[Tensor, Tensor]], *, steps: int, rate: float, smoothing: float
) -> float:
    """Train a small network to tell what each picture of a ``batch`` shows, in one go; its last loss.

    The learning rate falls from ``rate`` along a cosine; ``smoothing``: how little of the truth is doubted.
    """
    on_one_core()
    net = net.to(memory_format=torch.channels_last)
    optimizer = torch.optim.AdamW(net.parameters(), rate, weight_decay=1e-2)
    loss = torch.zeros(())
    for step in range(steps):
        shown, truth = batch()
        answer = net(shown.contiguous(memory_format=torch.channels_last))
        loss = nn.functional.cross_entropy(answer, truth, label_smoothing=smoothing)
        for group in optimizer.param_groups:
            group["lr"] = rate * 0.5 * (1 + np.cos(np.pi * step / steps))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def _taken_up(part: Path, net: nn.Module, average: Average, optimizer: torch.optim.Optimizer) -> int:
    """Goes on with what an earlier run has left; how many steps that has done."""
    if not part.exists():
        return 0
    state = torch.load(part)
    net.load_state_dict(state["net"])
    average.module.load_state_dict(state["average"])
    average.seen = state["seen"]
    optimizer.load_state_dict(state["optimizer"])
    print(f"going on after step {state['done']}", flush=True)
    return int(state["done"])


def _written(what: Any, to: Path) -> None:
    """Whole or not at all."""
    to.parent.mkdir(parents=True, exist_ok=True)
    beside = to.with_name(to.name + ".new")
    torch.save(what, beside)
    beside.replace(to)
