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

from training import train_evidence, train_mark
from training.course import Course
from training.layout_course import LayoutCourse, check

train_mark.pool = partial(train_mark.pool, drawn=200)
few = {"finder_steps": 3, "base_steps": 2, "reader_steps": 3, "mark_steps": 20, "corner_steps": 20}
course = Course(work=Path(sys.argv[1]), crops_made=120, corners_made=400, **few)
weights, network = LayoutCourse(course, steps=3).evidence(), course.model() / "evidence.onnx.gz"
train_evidence.write(weights, network)
check(network, weights)
"""
"""Every network as `make train` trains it, but hardly: on drawn cards alone, and a few steps long."""


def trained(folder: Path, hash_seed: str) -> dict[str, bytes]:
    """The networks as they would ship, by name."""
    surroundings = os.environ | {"PYTHONHASHSEED": hash_seed}
    subprocess.run([sys.executable, "-c", FEW_STEPS, str(folder)], check=True, env=surroundings)
    return {network: (folder / "model" / f"{network}.onnx.gz").read_bytes() for network in (*NETWORKS, "evidence")}


@pytest.mark.long(minutes=2)
def test_two_trainings_from_one_seed_make_the_same_networks(tmp_path: Path) -> None:
    assert trained(tmp_path / "once", hash_seed="1") == trained(tmp_path / "again", hash_seed="2")
