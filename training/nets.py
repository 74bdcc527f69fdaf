"""Networks in PyTorch: their layers, the detector, and the export to ONNX.

All are plain chains of layers, so that the oldest OpenCV in use can run them.
"""

from __future__ import annotations

import gzip
import io
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from torch import Tensor, nn
from torch.nn import functional


class Conv(nn.Sequential):
    """Convolution, batch norm, ReLU."""

    def __init__(self, cin: int, cout: int, size: int = 3, stride: int = 1, padding: int | None = None) -> None:
        around = size // 2 if padding is None else padding
        conv = nn.Conv2d(cin, cout, size, stride, around, bias=False)
        super().__init__(conv, nn.BatchNorm2d(cout), nn.ReLU(inplace=True))


def stage(cin: int, cout: int, convs: int) -> nn.Sequential:
    """Max pooling, then convolutions of 3 x 3.

    OpenCV computes convolutions of stride 1 four times as fast as those of stride 2 (Winograd), so pooling halves the
    size.
    """
    return nn.Sequential(nn.MaxPool2d(2), Conv(cin, cout), *(Conv(cout, cout) for _ in range(convs - 1)))


FINDER_STRIDE = 8
FINDER_OUT = 8  # heat of faces, heat of backs, dx, dy, log length, log width, cos 2a, sin 2a


class Finder(nn.Module):
    """Detector: picture (N, 3, H, W), H and W multiples of 32, values 0…1 → (N, 8, H/8, W/8), see
    `cardsight.detector`."""

    def __init__(self) -> None:
        super().__init__()
        self.s4 = nn.Sequential(Conv(3, 24, 4, 4, padding=0), Conv(24, 24))
        self.s8, self.s16, self.s32 = stage(24, 40, 2), stage(40, 64, 2), stage(64, 96, 3)
        self.l32, self.l16, self.l8 = Conv(96, 64, 1), Conv(64, 64, 1), Conv(40, 40, 1)
        self.m16, self.head = Conv(64, 40), Conv(40, 40)
        self.out = nn.Conv2d(40, FINDER_OUT, 1)
        nn.init.zeros_(self.out.bias)
        with torch.no_grad():
            self.out.bias[:2] = -4.0

    def forward(self, x: Tensor) -> Tensor:
        s8 = self.s8(self.s4(x))
        s16 = self.s16(s8)
        up = functional.interpolate(self.l32(self.s32(s16)), scale_factor=2.0, mode="nearest")
        up = functional.interpolate(self.m16(self.l16(s16) + up), scale_factor=2.0, mode="nearest")
        return self.out(self.head(self.l8(s8) + up))


def _rounded(weights: np.ndarray) -> np.ndarray:  # type: ignore[type-arg]
    """Round to a mantissa of 10 bits. No result changes, and the zeros compress well."""
    bits = np.ascontiguousarray(weights, np.float32).view(np.uint32)
    return ((bits + np.uint32(1 << 12)) & np.uint32(0xFFFFE000)).view(np.float32)


OPSET = 10
"""ONNX opset: the newest whose padding OpenCV 4.6 supports."""


def export(net: nn.Module, example: tuple[int, ...], to: Path, outputs: Sequence[str]) -> None:
    """Write the network with named outputs as compressed ONNX, as `cardsight.model` reads it."""
    raw = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            net.eval(), (torch.zeros(example),), raw, dynamo=False, opset_version=OPSET, output_names=list(outputs)
        )
    graph = onnx.load_from_string(raw.getvalue())
    for weights in graph.graph.initializer:
        if weights.data_type == onnx.TensorProto.FLOAT:
            weights.raw_data = _rounded(onnx.numpy_helper.to_array(weights)).tobytes()
    to.parent.mkdir(parents=True, exist_ok=True)
    to.write_bytes(gzip.compress(graph.SerializeToString(), mtime=0))
