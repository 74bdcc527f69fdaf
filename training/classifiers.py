"""The three classifiers in PyTorch: of whole cards, of marks, of printed corners."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.fusion import fuse_conv_bn_eval

from cardsight import corners
from cardsight.classify import EMBEDDING, OUTPUTS
from training.nets import Conv, stage


class Reader(nn.Module):
    """Classifier: crop (N, 3, 96, 72), divided by its white → answer (N, 35), embedding (N, 128); see
    `cardsight.classify`."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            Conv(3, 16, 3, 2), Conv(16, 16), stage(16, 32, 2), stage(32, 64, 2), stage(64, 96, 1), Conv(96, 48, 1)
        )
        self.embed = nn.Sequential(
            nn.Conv2d(48, EMBEDDING, (6, 4), bias=False), nn.BatchNorm2d(EMBEDDING), nn.ReLU(inplace=True)
        )
        self.answer = nn.Conv2d(EMBEDDING, OUTPUTS, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        embedding = self.embed(self.body(x))
        return self.answer(embedding).flatten(1), embedding.flatten(1)


class Wide(nn.Module):
    """A convolution of planes with 9 columns, padded to 12: the same result in half the time. OpenCV's Winograd needs
    planes of at least 12 x 12."""

    def __init__(self, conv: nn.Module) -> None:
        super().__init__()
        self.conv = conv

    def forward(self, x: Tensor) -> Tensor:
        return self.conv(functional.pad(x, (0, 3)))[..., :9]


def in_opencv(reader: Reader) -> nn.Module:
    """Convert a trained reader to the form that OpenCV computes fastest, with the same results. Modifies the reader."""
    pool, one, other = reader.body[3]
    reader.body[3] = nn.Sequential(pool, Wide(one), Wide(other))
    reader.embed = nn.Sequential(nn.Flatten(), _as_linear(*reader.embed[:2]), nn.ReLU(inplace=True))
    reader.answer = _as_linear(reader.answer)
    return reader


def _as_linear(conv: nn.Module, norm: nn.Module | None = None) -> nn.Linear:
    """Convert a convolution of a whole plane, and its batch norm, to a linear layer."""
    fused = conv.eval() if norm is None else fuse_conv_bn_eval(conv.eval(), norm.eval())
    linear = nn.Linear(fused.weight[0].numel(), len(fused.weight))
    with torch.no_grad():
        linear.weight.copy_(fused.weight.flatten(1))
        linear.bias.copy_(fused.bias)
    return linear


class Mark(nn.Module):
    """Mark classifier: patch (N, 1, 24, 24) → log odds of none, circle, star, triangle, square (N, 5)."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(Conv(1, 16, 3, 2), Conv(16, 16), stage(16, 24, 2))
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(24 * 36, 24), nn.ReLU(inplace=True), nn.Linear(24, 5))

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x))


class Corner(nn.Module):
    """Corner classifier: patch (N, 3, 32, 32) → log odds of symbol and ink, and the symbol's place and direction
    (N, 27), see `cardsight.corners`."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(Conv(3, 16, 3, 2), Conv(16, 16), stage(16, 32, 2), stage(32, 64, 2))
        self.head = nn.Sequential(
            nn.Flatten(), nn.Linear(64 * 16, 80), nn.ReLU(inplace=True), nn.Linear(80, corners.OUTPUTS)
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x))
