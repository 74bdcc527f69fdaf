"""A detector of the size of a YOLO-n, the usual way to find and read cards, to compare the card reader's time with.

The layers are those of YOLOv8-n (https://docs.ultralytics.com/models/yolov8/: 3.2 million weights, 8.7 billion
operations at 640 px for 80 classes) with one class for each face. The weights are random, so the detector finds
nothing: the time of a network does not depend on its weights. The network is a Darknet configuration, which
OpenCV reads without any further library.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from cardsight.classify import FACES

SIDE_PX: Final = 640
BOX_OUT: Final = 64
"""Channels of a box: four sides, 16 steps each."""


class _Graph:
    """The layers in the order of computation; each method adds a layer and returns its number."""

    def __init__(self, seed: int) -> None:
        self.sections = [f"[net]\nwidth={SIDE_PX}\nheight={SIDE_PX}\nchannels=3\n"]
        self.widths: list[int] = []
        self._weights: list[npt.NDArray[np.float64]] = []
        self._rng = np.random.default_rng(seed)

    def conv(
        self, width: int, size: int = 3, stride: int = 1, *, source: int | None = None, plain: bool = False
    ) -> int:
        """Add a convolution with SiLU; ``plain``: without."""
        wide = 3 if not self.widths else self.widths[-1 if source is None else source]
        if source is not None and source != len(self.widths) - 1:
            self.join(source)
        spread = (wide * size * size) ** -0.5
        self._weights += [np.zeros(width), self._rng.normal(0, spread, width * wide * size * size)]
        activation = "linear" if plain else "swish"
        return self._add(
            width, f"[convolutional]\nfilters={width}\nsize={size}\nstride={stride}\npad=1\nactivation={activation}\n"
        )

    def join(self, *sources: int) -> int:
        """Concatenate layers."""
        layers = ",".join(str(number) for number in sources)
        return self._add(sum(self.widths[number] for number in sources), f"[route]\nlayers={layers}\n")

    def half(self, source: int, which: int) -> int:
        """Take the first (0) or second (1) half of a layer's channels."""
        return self._add(self.widths[source] // 2, f"[route]\nlayers={source}\ngroups=2\ngroup_id={which}\n")

    def add(self, source: int) -> int:
        """Add the outputs of the last and an earlier layer."""
        return self._add(self.widths[-1], f"[shortcut]\nfrom={source}\nactivation=linear\n")

    def pool(self) -> int:
        """Add a maximum over 5 x 5 cells."""
        return self._add(self.widths[-1], "[maxpool]\nsize=5\nstride=1\n")

    def twice(self) -> int:
        """Double the resolution."""
        return self._add(self.widths[-1], "[upsample]\nstride=2\n")

    def c2f(self, width: int, times: int, *, shortcut: bool) -> int:
        """Add a cross-stage part: half of the channels pass small residual blocks, and all results are kept."""
        whole = self.conv(width, 1)
        kept = [self.half(whole, 0), self.half(whole, 1)]
        for _ in range(times):
            source = kept[-1]
            self.conv(width // 2)
            last = self.conv(width // 2)
            kept.append(self.add(source) if shortcut else last)
        self.join(*kept)
        return self.conv(width, 1)

    def network(self) -> cv2.dnn.Net:
        """Return all layers with their weights."""
        # A header of three numbers for the version and two for the pictures it was trained on.
        head = np.array([0, 2, 0, 0, 0], np.int32).tobytes()
        weights = head + b"".join(part.astype(np.float32).tobytes() for part in self._weights)
        net = cv2.dnn.readNetFromDarknet(
            np.frombuffer("".join(self.sections).encode(), np.uint8), np.frombuffer(weights, np.uint8)
        )
        net.setPreferableBackend(cv2.dnn.DNN_BACKEND_OPENCV)
        return net

    def _add(self, width: int, section: str) -> int:
        self.widths.append(width)
        self.sections.append(section)
        return len(self.widths) - 1


def detector(classes: int = len(FACES)) -> cv2.dnn.Net:
    """Return the network: picture (1, 3, SIDE_PX, SIDE_PX) in, boxes and classes at three sizes out."""
    graph = _Graph(seed=1)
    graph.conv(16, 3, 2)
    graph.conv(32, 3, 2)
    graph.c2f(32, 1, shortcut=True)
    graph.conv(64, 3, 2)
    p3 = graph.c2f(64, 2, shortcut=True)
    graph.conv(128, 3, 2)
    p4 = graph.c2f(128, 2, shortcut=True)
    graph.conv(256, 3, 2)
    graph.c2f(256, 1, shortcut=True)
    pools = [graph.conv(128, 1)] + [graph.pool() for _ in range(3)]
    graph.join(*pools)
    p5 = graph.conv(256, 1)
    graph.join(graph.twice(), p4)
    n4 = graph.c2f(128, 1, shortcut=False)
    graph.join(graph.twice(), p3)
    small = graph.c2f(64, 1, shortcut=False)
    graph.join(graph.conv(64, 3, 2), n4)
    middle = graph.c2f(128, 1, shortcut=False)
    graph.join(graph.conv(128, 3, 2), p5)
    large = graph.c2f(256, 1, shortcut=False)
    for scale in (small, middle, large):
        for width, out in ((BOX_OUT, BOX_OUT), (max(64, min(classes, 100)), classes)):
            graph.conv(width, source=scale)
            graph.conv(width)
            graph.conv(out, 1, plain=True)
    return graph.network()


def run_detector(net: cv2.dnn.Net, image: npt.NDArray[np.uint8]) -> Sequence[npt.NDArray[np.float32]]:
    """Return the network's output for a decoded picture (BGR). The selection among its 8,400 boxes is left out."""
    height, width = image.shape[:2]
    scale = SIDE_PX / max(height, width)
    small = cv2.resize(image, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_AREA)
    below, right = SIDE_PX - small.shape[0], SIDE_PX - small.shape[1]
    small = cv2.copyMakeBorder(small, 0, below, 0, right, cv2.BORDER_CONSTANT, value=(114, 114, 114))
    net.setInput(cv2.dnn.blobFromImage(small, 1 / 255, swapRB=True))
    return [np.asarray(answer, np.float32) for answer in net.forward(net.getUnconnectedOutLayersNames())]
