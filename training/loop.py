"""The one training loop: both networks learn by it."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, IterableDataset

Losses = Callable[[Any, list[Tensor]], dict[str, Tensor]]
"""From what the network answered and what is true: the losses by name, already weighed against each other."""


class Average:
    """Keeps ``module``, an average of the weights of a network in training that forgets its beginnings."""

    def __init__(self, net: nn.Module, steps: float) -> None:
        self.module, self._steps, self._seen = copy.deepcopy(net), steps, 0

    @torch.no_grad()
    def update(self, net: nn.Module) -> None:
        """Move towards the network: fast at the start, later by one part in ``steps``."""
        self._seen += 1
        share = 1 / min(self._steps, 2 + self._seen / 8)
        for mean, value in zip(self.module.state_dict().values(), net.state_dict().values(), strict=True):
            if mean.dtype.is_floating_point:
                mean.lerp_(value, share)
            else:
                mean.copy_(value)


def fit(
    net: nn.Module,
    batches: IterableDataset,  # type: ignore[type-arg]
    losses: Losses,
    *,
    steps: int,
    rate: float,
    to: Path,
    start: Path | None = None,
    workers: int = 1,
) -> None:
    """Train for so many steps, from the weights in ``start`` if given, and leave the averaged weights in ``to``.

    The learning rate rises to ``rate`` and falls again along a cosine. Batches are (input, *truth) in pictures of
    uint8, or floats.
    """
    if start:
        net.load_state_dict(torch.load(start))
    cv2.setNumThreads(1)  # one worker is one core
    net = net.to(memory_format=torch.channels_last)
    average = Average(net, 300)
    optimizer = torch.optim.AdamW(net.parameters(), rate, weight_decay=1e-3)
    began, sums = time.monotonic(), {}
    loader = DataLoader(batches, batch_size=None, num_workers=workers, prefetch_factor=4 if workers else None)
    for step, (x, *truth) in zip(range(steps), loader, strict=False):
        for group in optimizer.param_groups:
            warm, cool = min(1.0, (step + 1) / 150), 0.5 * (1 + np.cos(np.pi * step / steps))
            group["lr"] = rate * warm * (0.02 + 0.98 * cool)
        x = x.float().div_(255) if x.dtype == torch.uint8 else x
        parts = losses(net(x.contiguous(memory_format=torch.channels_last)), truth)
        optimizer.zero_grad()
        torch.stack(list(parts.values())).sum().backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 20.0)
        optimizer.step()
        average.update(net)
        sums = {name: sums.get(name, 0.0) + loss.item() for name, loss in parts.items()}
        if step % 100 == 99 or step == steps - 1:
            told = ", ".join(f"{name} {total / (step % 100 + 1):.3f}" for name, total in sums.items())
            print(f"step {step + 1} of {steps}, {time.monotonic() - began:.0f} s: {told}", flush=True)
            sums = {}
            torch.save(average.module.state_dict(), to)
