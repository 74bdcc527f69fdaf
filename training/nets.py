"""The two networks of the card reader, in PyTorch, and their export to ONNX.

The finder sees the whole picture small and says where cards lie; the reader sees one straightened card and says what
it is. Both are plain chains of convolution and ReLU, so that the oldest OpenCV that is still in use can run them.
"""

from __future__ import annotations

import io
import lzma
import warnings
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import Tensor, nn
from torch.nn import functional


class Conv(nn.Sequential):
    """Convolution, batch norm and, unless it is the last, ReLU."""

    def __init__(self, cin: int, cout: int, size: int = 3, stride: int = 1, groups: int = 1, relu: bool = True) -> None:
        conv = nn.Conv2d(cin, cout, size, stride, size // 2, groups=groups, bias=False)
        super().__init__(conv, nn.BatchNorm2d(cout), *([nn.ReLU(inplace=True)] if relu else []))


def light(cin: int, cout: int, stride: int = 1) -> nn.Sequential:
    """A convolution in two cheap halves: each channel by itself, then all channels at each point."""
    return nn.Sequential(Conv(cin, cin, 3, stride, groups=cin), Conv(cin, cout, 1))


FINDER_STRIDE = 8
FINDER_OUT = 8  # heat of faces, heat of backs, dx, dy, log length, log width, cos 2a, sin 2a


class Finder(nn.Module):
    """Picture (N, 3, H, W), H and W multiples of 64, values 0…1 → (N, 8, H/8, W/8), see `cardsight.locate`."""

    def __init__(self) -> None:
        super().__init__()
        self.s2 = Conv(3, 16, 3, 2)
        self.s4 = nn.Sequential(Conv(16, 32, 3, 2), light(32, 32))
        self.s8 = nn.Sequential(Conv(32, 48, 3, 2), Conv(48, 48))
        self.s16 = nn.Sequential(light(48, 96, 2), light(96, 96), light(96, 96))
        self.s32 = nn.Sequential(light(96, 128, 2), light(128, 128), light(128, 128))
        self.s64 = nn.Sequential(light(128, 128, 2), light(128, 128), light(128, 128))
        self.l32, self.m32 = Conv(128, 128, 1), light(128, 96)
        self.l16, self.m16 = Conv(96, 96, 1), light(96, 48)
        self.l8 = Conv(48, 48, 1)
        self.head = nn.Sequential(Conv(48, 48), light(48, 64))
        self.out = nn.Conv2d(64, FINDER_OUT, 1)
        nn.init.zeros_(self.out.bias)
        with torch.no_grad():
            self.out.bias[:2] = -4.0

    def forward(self, x: Tensor) -> Tensor:
        s8 = self.s8(self.s4(self.s2(x)))
        s16 = self.s16(s8)
        s32 = self.s32(s16)
        s64 = self.s64(s32)
        up = self.m32(self.l32(s32) + functional.interpolate(s64, scale_factor=2.0, mode="nearest"))
        up = self.m16(self.l16(s16) + functional.interpolate(up, scale_factor=2.0, mode="nearest"))
        up = self.l8(s8) + functional.interpolate(up, scale_factor=2.0, mode="nearest")
        return self.out(self.head(up))


class Reader(nn.Module):
    """Cut-out (N, 3, 120, 80) over its own white → (N, 33), see `cardsight.classify`."""

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            Conv(3, 24, 3, 2),
            Conv(24, 40, 3, 2),
            Conv(40, 40),
            Conv(40, 72, 3, 2),
            Conv(72, 72),
            light(72, 128, 2),
            light(128, 128),
            Conv(128, 40, 1),
        )
        self.head = nn.Sequential(
            nn.Conv2d(40, 112, (8, 5), bias=False),
            nn.BatchNorm2d(112),
            nn.ReLU(inplace=True),
            nn.Conv2d(112, outputs, 1),
            nn.Flatten(),
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x))


class Mark(nn.Module):
    """Patch (N, 1, 24, 24) → log odds of none, circle, star, triangle, square (N, 5), see `cardsight.marks`."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(Conv(1, 12), Conv(12, 16, 3, 2), Conv(16, 24, 3, 2), Conv(24, 24))
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(24 * 36, 24), nn.ReLU(inplace=True), nn.Linear(24, 5))

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(x))


def _rounded(weights: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    """The nearest number with a mantissa of 10 bits: no result changes by it, and zeros pack well."""
    bits = np.ascontiguousarray(weights, np.float32).view(np.uint32)
    return ((bits + np.uint32(1 << 12)) & np.uint32(0xFFFFE000)).view(np.float32)


def export(net: nn.Module, example: tuple[int, ...], to: Path) -> None:
    """Write the network as packed ONNX, as `cardsight.model` reads it."""
    raw = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(net.eval(), (torch.zeros(example),), raw, dynamo=False, opset_version=11)
    graph = onnx.load_from_string(raw.getvalue())
    for weights in graph.graph.initializer:
        if weights.data_type == onnx.TensorProto.FLOAT:
            weights.raw_data = _rounded(onnx.numpy_helper.to_array(weights)).tobytes()
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(lzma.compress(graph.SerializeToString(), preset=9))
