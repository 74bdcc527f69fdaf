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

from training import folds, train_corner, train_mark, train_reader

course = folds.Course(Path(sys.argv[1]), finder_steps=3, base_steps=2, reader_steps=3, pool_size=120)
weights = course.work / "reader.pt"
shown = partial(train_reader.Pooled, train_reader.pool([], course.pool_size, seed=1), (), 1)
train_reader.train(weights, shown, course.reader_steps, rate=2e-3, start=course.base())
mark = train_mark.train(train_mark.pool([], drawn=200), (), steps=20)
corner = train_corner.train(train_corner.pool([], count=400), (), steps=20)
folds.write_networks(course.work, course.finder(), weights, mark, corner)
"""
"""Every network as `make train` trains it, but hardly: on drawn cards alone, and a few steps long."""


def trained(folder: Path, hash_seed: str) -> dict[str, bytes]:
    """The networks as they would ship, by name."""
    surroundings = os.environ | {"PYTHONHASHSEED": hash_seed}
    subprocess.run([sys.executable, "-c", FEW_STEPS, str(folder)], check=True, env=surroundings)
    return {network: (folder / f"{network}.onnx.gz").read_bytes() for network in NETWORKS}


@pytest.mark.long(minutes=2)
def test_two_trainings_from_one_seed_make_the_same_networks(tmp_path: Path) -> None:
    assert trained(tmp_path / "once", hash_seed="1") == trained(tmp_path / "again", hash_seed="2")
