"""Runs in the emulated computer: passes of the networks, and the reading of a picture, each between two counts.

``python guest.py RUNTIME PICTURE``; RUNTIME: ``opencv``, ``half`` (OpenCV in half precision) or ``onnxruntime``.
"""

from __future__ import annotations

import ctypes
import gzip
import sys
from collections.abc import Callable

import cv2
import numpy as np

from cardsight import model, networks
from cardsight.reader import Reader
from cardsight.sources.picture import load_picture

SHAPES = {"reader": (1, 3, 96, 72), "corner": (1, 3, 32, 32), "finder": (1, 3, 224, 384)}
GETPRIORITY, ASKED = 141, 77
PASSES = 2


def main() -> None:
    """Print a line for each piece of work that was counted, in their order."""
    runtime, picture = sys.argv[1:]
    cv2.setNumThreads(1)
    networks.has_half_precision = lambda: runtime == "half"
    for name, shape in SHAPES.items():
        values = np.random.default_rng(1).random(shape, dtype=np.float32)
        counted(prepared(runtime, gzip.decompress((model.FOLDER / f"{name}.onnx.gz").read_bytes()), values))
        print(f"one pass of the {name} network")
    if runtime != "onnxruntime":
        image, reader = load_picture(picture), Reader()
        counted(lambda: reader.read(image))
        print(*(f"{card.face} {card.confidence:.2f}" for card in reader.read(image).cards), sep=", ")


def prepared(runtime: str, onnx: bytes, values: np.ndarray) -> Callable[[], object]:
    """Return a function that runs a network on ``values``."""
    if runtime == "onnxruntime":
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(onnx, options)
        return lambda: session.run(None, {session.get_inputs()[0].name: values})
    net = networks.load_network(onnx)

    def run() -> object:
        net.setInput(values)
        return net.forward(net.getUnconnectedOutLayersNames())

    return run


def counted(work: Callable[[], object]) -> None:
    """Do the work once, then `PASSES` times between two counts."""
    work()
    ask()
    for _ in range(PASSES):
        work()
    ask()


def ask() -> None:
    """Ask for the number of instructions so far."""
    _LIBC.syscall(GETPRIORITY, ASKED, 0)


_LIBC = ctypes.CDLL(None)

if __name__ == "__main__":
    main()
