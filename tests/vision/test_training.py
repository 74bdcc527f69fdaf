"""Training that anybody can repeat: the same seed makes the same files, byte by byte."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from cardsight.model import NETWORKS

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(find_spec("torch") is None, reason="torch is only there where models are made: `make train`"),
]

FEW_STEPS = """
import sys
from functools import partial
from pathlib import Path

from training import crops, train_corner, train_layout, train_mark
from training.course import Course
from training.layout_course import LayoutCourse
from training.measure.models import uncalibrated

train_mark.pool = partial(train_mark.pool, drawn=60)
crops.PRINTS = train_corner.PRINTS = 1
few = {"finder_steps": 3, "base_steps": 2, "reader_steps": 3, "mark_steps": 20, "corner_steps": 20}
course = Course(work=Path(sys.argv[1]), crops_made=120, corners_made=400, **few)
uncalibrated(course.model())
train_layout.LAID, train_layout.KITCHEN = {"close fan": 1}, {}
layout = LayoutCourse(course, steps=3)
made = layout.make([])
done = (made / "record.json").stat().st_mtime_ns
assert (layout.make([]) / "record.json").stat().st_mtime_ns == done, "what is there is not made again"
"""
"""All that `make train` makes, but hardly: on drawn cards alone, and a few steps long."""


def trained(folder: Path, hash_seed: str) -> dict[str, bytes]:
    """The files as they would ship, by name."""
    surroundings = os.environ | {"PYTHONHASHSEED": hash_seed}
    subprocess.run([sys.executable, "-c", FEW_STEPS, str(folder)], check=True, env=surroundings)
    files = [*(f"model/{network}.onnx.gz" for network in NETWORKS),
             *(f"layout/{name}" for name in ("evidence.onnx.gz", "figures.json", "record.json"))]  # fmt: skip
    return {name: (folder / name).read_bytes() for name in files}


@pytest.mark.nightly  # four minutes that only a change of the training can break
@pytest.mark.long(minutes=2)
def test_two_trainings_from_one_seed_make_the_same_files(tmp_path: Path) -> None:
    assert trained(tmp_path / "once", hash_seed="1") == trained(tmp_path / "again", hash_seed="2")
