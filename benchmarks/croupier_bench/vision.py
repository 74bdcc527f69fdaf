"""Speed of the card reader, compared with its limits and with a detector of the size of a YOLO-n.

The picture, a table with ten cards, is drawn, so that every machine measures the same. `make vision-report` measures
the accuracy on photographs. Reader and detector read the picture in turn, in one process on one core, each in its own
runtime. The figures are medians of CPU times, and of the ratios of consecutive readings, so that a busy machine
disturbs both alike.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, Final
from unittest.mock import patch

import cv2
import numpy as np
import numpy.typing as npt

from cardsight.networks import Network, Values
from cardsight.reader import Reader
from croupier_bench.detector import SIDE_PX, detector
from croupier_sim.camera import SimCamera
from croupier_sim.drawing import STYLES, Lamp
from croupier_sim.table import SimTable

HAND: Final = (
    "red-7",
    "blue-skip",
    "green-2",
    "wild",
    "yellow-9",
    "blue-6",
    "red-draw2",
    "green-0",
    "wild-draw4",
    "red-6",
)
SIZE_PX: Final = (1920, 1080)
READINGS: Final = 15

LIMIT_MS: Final = 15.0
LIMIT_OF_DETECTOR: Final = 0.12
"""Limit of the ratio to the detector's time."""
LIMIT_START_S: Final = 0.5
LIMIT_MB: Final = 300.0


def measure() -> Iterator[dict[str, Any]]:
    """Yield a line for each figure, as `croupier bench --json` prints it; ``ratio``: ours over the limit."""
    image = table_picture()
    cv2.setNumThreads(1)
    reader, (runtime, run_detector) = Reader(), detector()
    reader.read(image), run_detector(image)  # the first reading also prepares the networks
    readings, ours, peers, shares = [], [], [], []
    for _ in range(READINGS):
        with _timed_networks() as spent:
            began = process_time()
            readings.append(reader.read(image))
            between = process_time()
        shares.append(sum(spent) / (between - began))
        run_detector(image)
        ours.append((between - began) * 1000)
        peers.append((process_time() - between) * 1000)
    read = sorted(card.face for card in readings[-1].cards)
    stages = {
        name: round(median(r.stages_ms[name] / r.ms for r in readings) * median(ours), 1)
        for name in readings[0].stages_ms
    }
    what = f"{SIZE_PX[0]}x{SIZE_PX[1]}, {len(HAND)} cards, one core"
    row = _row(f"reading a picture of {what}", "ms", median(ours), LIMIT_MS)
    networks_ms = round(median(shares) * median(ours), 1)
    yield row | {"stages_ms": stages, "networks_ms": networks_ms, "all_read": read == sorted(HAND)}
    peer = f"YOLO-n-size detector at {SIDE_PX} px in {runtime}"
    ratio = median(one / other for one, other in zip(ours, peers, strict=True))
    yield {
        "bench": "vision",
        "what": "the same picture, reader against detector",
        "unit": "ms",
        "ours": round(median(ours), 2),
        "peers": {peer: round(median(peers), 2)},
        "ratio": {peer: round(ratio, 3)},
        "limit_ratio": LIMIT_OF_DETECTOR,
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.png"
        cv2.imwrite(str(path), image)
        starts = [_first_result_s(path) for _ in range(5)]
        most_kib = most_memory_kib(path)
    yield _row("from start of `croupier read` to its first result", "s", median(starts), LIMIT_START_S)
    yield _row("memory of `croupier read` at its most", "MB", most_kib / 1000, LIMIT_MB)


@contextmanager
def _timed_networks() -> Iterator[list[float]]:
    """Note the CPU time (s) of each run of a network."""
    spent, run = list[float](), Network.layers

    def timed(net: Network, inputs: Values, names: Sequence[str]) -> list[Values]:
        began = process_time()
        seen = run(net, inputs, names)
        spent.append(process_time() - began)
        return seen

    with patch.object(Network, "layers", timed):
        yield spent


def table_picture() -> npt.NDArray[np.uint8]:
    """Return a drawn picture of ten open cards on a wooden table, by the simulated camera."""
    rng = np.random.default_rng(7)
    table = SimTable(seats=4, rng=rng, deck=HAND)
    table.lay_open(0, list(HAND))
    table.run_to(60.0)
    camera = SimCamera(table, style=STYLES["modern"], ground="wood", lamp=Lamp(), rng=rng, size=SIZE_PX)
    return camera.frame().image


def _first_result_s(path: Path) -> float:
    began = perf_counter()
    command = [sys.executable, "-m", "croupier", "read", "--json", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        line = process.stdout.readline()
        spent = perf_counter() - began
    json.loads(line)
    return spent


def most_memory_kib(path: Path) -> int:
    """Return the maximum memory (KiB) of `croupier read` for the picture in ``path``."""
    # A child is charged with the memory of its parent at the start, so a small process starts the program.
    starter = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
    starter += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    command = [sys.executable, "-c", starter, sys.executable, "-m", "croupier", "read", "--json", str(path)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _row(what: str, unit: str, ours: float, limit: float) -> dict[str, Any]:
    ours = round(ours, 2)
    return {
        "bench": "vision",
        "what": what,
        "unit": unit,
        "ours": ours,
        "limit": limit,
        "ratio": round(ours / limit, 3),
    }
