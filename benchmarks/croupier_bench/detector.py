"""A detector of the size of a YOLO-n, the usual way to find and read cards, to compare the card reader's time with.

The layers are those of YOLOv8-n (https://docs.ultralytics.com/models/yolov8/: 3.2 million weights, 8.7 billion
operations at 640 px for 80 classes) with one class for each face. The weights are random, so the detector finds
nothing: the time of a network does not depend on its weights. It runs in onnxruntime, which computes it about twice as
fast as OpenCV does; where that is not installed, in OpenCV.

The network is written as ONNX (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto: the numbers of the fields) by a
few lines, so that a test needs no further library.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from cardsight.classify import FACES

SIDE_PX: Final = 640
BOX_OUT: Final = 64
"""Channels of a box: four sides, 16 steps each."""
IR_VERSION: Final = 8
OPSET: Final = 13
FLOAT: Final = 1
"""TensorProto.DataType."""
INT, STRING, INTS = 2, 3, 7
"""AttributeProto.AttributeType."""

Outputs = Sequence[npt.NDArray[np.float32]]


def _message(*fields: tuple[int, int | str | bytes]) -> bytes:
    """Encode a message of Protocol Buffers from the numbers and values of its fields."""
    parts = []
    for number, value in fields:
        if isinstance(value, int):
            parts += [_varint(number << 3), _varint(value)]
        else:
            data = value.encode() if isinstance(value, str) else value
            parts += [_varint(number << 3 | 2), _varint(len(data)), data]
    return b"".join(parts)


def _varint(value: int) -> bytes:
    low = [value >> shift & 127 for shift in range(0, max(1, value.bit_length()), 7)]
    return bytes([*(seven | 128 for seven in low[:-1]), low[-1]])


def _attribute(name: str, value: int | str | Sequence[int]) -> bytes:
    match value:
        case int():
            return _message((1, name), (3, value), (20, INT))
        case str():
            return _message((1, name), (4, value), (20, STRING))
        case _:
            return _message((1, name), *((8, one) for one in value), (20, INTS))


def _value(name: str, *shape: int) -> bytes:
    """Encode the name and shape of an input or output."""
    dimensions = _message(*((1, _message((1, side))) for side in shape))
    return _message((1, name), (2, _message((1, _message((1, FLOAT), (2, dimensions))))))


class _Graph:
    """The layers in the order of computation; each method adds one and returns the name of its output."""

    def __init__(self, seed: int) -> None:
        self._widths = {"picture": 3}
        self._nodes: list[bytes] = []
        self._weights: list[bytes] = []
        self._rng = np.random.default_rng(seed)
        self._numbers = count()

    def conv(self, source: str, width: int, size: int = 3, stride: int = 1, *, plain: bool = False) -> str:
        """Add a convolution with SiLU; ``plain``: without."""
        shape = (width, self._widths[source], size, size)
        weights = self._rng.normal(0, float(np.prod(shape[1:])) ** -0.5, shape)
        inputs = [source, self._constant(weights), self._constant(np.zeros(width))]
        around = [size // 2] * 4
        done = self._add("Conv", inputs, width, kernel_shape=[size, size], strides=[stride, stride], pads=around)
        return done if plain else self._add("Mul", [done, self._add("Sigmoid", [done], width)], width)

    def join(self, *sources: str) -> str:
        """Concatenate layers."""
        return self._add("Concat", sources, sum(self._widths[one] for one in sources), axis=1)

    def halves(self, source: str) -> tuple[str, str]:
        """Split the channels of a layer in two."""
        one, other = (f"half-{next(self._numbers)}" for _ in range(2))
        self._node("Split", [source], [one, other], axis=1)
        self._widths |= dict.fromkeys((one, other), self._widths[source] // 2)
        return one, other

    def pool(self, source: str) -> str:
        """Add a maximum over 5 x 5 cells."""
        return self._add("MaxPool", [source], self._widths[source], kernel_shape=[5, 5], strides=[1, 1], pads=[2] * 4)

    def twice(self, source: str) -> str:
        """Double the resolution."""
        inputs = [source, "", self._constant(np.array([1, 1, 2, 2]))]
        return self._add("Resize", inputs, self._widths[source], mode="nearest")

    def c2f(self, source: str, width: int, times: int, *, shortcut: bool) -> str:
        """Add a cross-stage part: half of the channels pass small residual blocks, and all results are kept."""
        kept = [*self.halves(self.conv(source, width, 1))]
        for _ in range(times):
            last = self.conv(self.conv(kept[-1], width // 2), width // 2)
            kept.append(self._add("Add", [last, kept[-1]], width // 2) if shortcut else last)
        return self.conv(self.join(*kept), width, 1)

    def onnx(self, outputs: Mapping[str, int]) -> bytes:
        """Return the network with its weights. ``outputs``: layers, with their numbers of cells to a side."""
        graph = _message(
            *((1, node) for node in self._nodes),
            (2, "detector"),
            *((5, weights) for weights in self._weights),
            (11, _value("picture", 1, 3, SIDE_PX, SIDE_PX)),
            *((12, _value(name, 1, self._widths[name], side, side)) for name, side in outputs.items()),
        )
        return _message((1, IR_VERSION), (7, graph), (8, _message((1, ""), (2, OPSET))))

    def _constant(self, values: npt.NDArray[Any]) -> str:
        name, data = f"weights-{next(self._numbers)}", values.astype("<f4").tobytes()
        self._weights.append(_message(*((1, side) for side in values.shape), (2, FLOAT), (8, name), (9, data)))
        return name

    def _add(self, kind: str, inputs: Sequence[str], width: int, **attributes: int | str | Sequence[int]) -> str:
        name = f"{kind}-{next(self._numbers)}"
        self._node(kind, inputs, [name], **attributes)
        self._widths[name] = width
        return name

    def _node(
        self, kind: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: int | str | Sequence[int]
    ) -> None:
        known = [(5, _attribute(name, value)) for name, value in attributes.items()]
        self._nodes.append(_message(*((1, one) for one in inputs), *((2, one) for one in outputs), (4, kind), *known))


def network(classes: int = len(FACES)) -> bytes:
    """Return the network as ONNX: picture (1, 3, SIDE_PX, SIDE_PX) in, boxes and classes at three sizes out."""
    graph = _Graph(seed=1)
    p2 = graph.c2f(graph.conv(graph.conv("picture", 16, 3, 2), 32, 3, 2), 32, 1, shortcut=True)
    p3 = graph.c2f(graph.conv(p2, 64, 3, 2), 64, 2, shortcut=True)
    p4 = graph.c2f(graph.conv(p3, 128, 3, 2), 128, 2, shortcut=True)
    deep = graph.c2f(graph.conv(p4, 256, 3, 2), 256, 1, shortcut=True)
    pools = [graph.conv(deep, 128, 1)]
    for _ in range(3):
        pools.append(graph.pool(pools[-1]))
    p5 = graph.conv(graph.join(*pools), 256, 1)
    n4 = graph.c2f(graph.join(graph.twice(p5), p4), 128, 1, shortcut=False)
    small = graph.c2f(graph.join(graph.twice(n4), p3), 64, 1, shortcut=False)
    middle = graph.c2f(graph.join(graph.conv(small, 64, 3, 2), n4), 128, 1, shortcut=False)
    large = graph.c2f(graph.join(graph.conv(middle, 128, 3, 2), p5), 256, 1, shortcut=False)
    outputs = {
        graph.conv(graph.conv(graph.conv(layer, width), width), out, 1, plain=True): SIDE_PX // stride
        for layer, stride in ((small, 8), (middle, 16), (large, 32))
        for width, out in ((BOX_OUT, BOX_OUT), (max(64, min(classes, 100)), classes))
    }
    return graph.onnx(outputs)


def detector() -> tuple[str, Callable[[npt.NDArray[np.uint8]], Outputs]]:
    """Return the name of the runtime, and the detector on one core: the network's output for a decoded picture (BGR).
    The selection among its 8,400 boxes is left out."""
    onnx = network()
    try:
        import onnxruntime
    except ModuleNotFoundError:
        net = cv2.dnn.readNetFromONNX(np.frombuffer(onnx, np.uint8))
        net.setPreferableBackend(cv2.dnn.DNN_BACKEND_OPENCV)
        names = net.getUnconnectedOutLayersNames()

        def in_opencv(image: npt.NDArray[np.uint8]) -> Outputs:
            net.setInput(_input(image))
            return [np.asarray(answer, np.float32) for answer in net.forward(names)]

        return "OpenCV", in_opencv
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(onnx, options, providers=["CPUExecutionProvider"])
    return "onnxruntime", lambda image: session.run(None, {"picture": _input(image)})


def _input(image: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    height, width = image.shape[:2]
    scale = SIDE_PX / max(height, width)
    small = cv2.resize(image, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_AREA)
    below, right = SIDE_PX - small.shape[0], SIDE_PX - small.shape[1]
    small = cv2.copyMakeBorder(small, 0, below, 0, right, cv2.BORDER_CONSTANT, value=(114, 114, 114))
    return np.asarray(cv2.dnn.blobFromImage(small, 1 / 255, swapRB=True), np.float32)
