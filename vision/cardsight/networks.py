"""Networks in OpenCV's dnn module."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from cardsight.opencv_log import ERRORS, set_log_level

NEON_FP16: Final = 102
"""OpenCV's number of this feature (``CpuFeatures``)."""
CACHED: Final = 12
"""Number of cached instances of a network: one for each input size of a camera's whole frames and of some parts of
them."""
BATCHES: Final = (8, 4, 2, 1)
"""Sizes of the batches of small inputs. A crop of eight takes two thirds of the time of one alone, and larger batches
save no more (`croupier bench vision`)."""

Values = NDArray[np.float32]


def load_network(onnx: bytes) -> cv2.dnn.Net:
    """Load an ONNX network into OpenCV, which computes in half precision if the processor can."""
    net = cv2.dnn.readNetFromONNX(np.frombuffer(onnx, np.uint8))
    net.setPreferableBackend(cv2.dnn.DNN_BACKEND_OPENCV)
    if has_half_precision():
        before = set_log_level(ERRORS)  # it warns that only Apple's processors can, but does so on all
        net.setPreferableTarget(cv2.dnn.DNN_TARGET_CPU_FP16)
        set_log_level(before)
    return net


def has_half_precision() -> bool:
    """True if the processor computes with numbers of 16 bits, as that of a Raspberry Pi 5 does (ARMv8.2), and this
    OpenCV (4.8 or newer) can use it."""
    return hasattr(cv2.dnn, "DNN_TARGET_CPU_FP16") and cv2.checkHardwareSupport(NEON_FP16)


class Network:
    """A network, one instance per shape of its input.

    OpenCV prepares a network again when the shape changes, which takes longer than the run itself.
    """

    def __init__(self, onnx: bytes) -> None:
        self._onnx = onnx
        self._by_shape: dict[tuple[int, ...], cv2.dnn.Net] = {}

    def __getitem__(self, shape: tuple[int, ...]) -> cv2.dnn.Net:
        """Return the instance for inputs of this shape (n, channels, height, width). The latest `CACHED` are cached."""
        net = self._by_shape.pop(shape, None) or load_network(self._onnx)
        self._by_shape[shape] = net
        if len(self._by_shape) > CACHED:
            del self._by_shape[next(iter(self._by_shape))]
        return net

    def run_picture(self, image: cv2.typing.MatLike) -> Values:
        """Return the output (channels, height, width) for a picture (height, width, 3; BGR, uint8)."""
        (values,) = self.layers(np.asarray(cv2.dnn.blobFromImage(image, 1 / 255), np.float32), ())
        return np.asarray(values[0], np.float32)

    def run_each(self, inputs: Values, layers: Sequence[str] = ()) -> list[Values]:
        """Return the outputs, or those of the ``layers`` with these names, for any number of small inputs: each an
        array whose first axis is that of the inputs."""
        parts = [self.layers(part, layers) for part in _batches(inputs)]
        return [np.concatenate(one) for one in zip(*parts, strict=True)]

    def layers(self, inputs: Values, names: Sequence[str]) -> list[Values]:
        """Return the outputs of the layers with these names, for all inputs at once; without names the last one's."""
        net = self[inputs.shape]
        net.setInput(inputs)
        seen = net.forward(names) if names else [net.forward()]
        return [np.asarray(one, np.float32) for one in seen]


def _batches(inputs: Values) -> Iterator[Values]:
    first = 0
    for size in BATCHES:
        while len(inputs) - first >= size:
            yield inputs[first : first + size]
            first += size
