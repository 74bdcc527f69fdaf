"""Every target on its corpus: samples of good input, and the inputs of the bugs that fuzzing found."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from croupier.errors import CroupierError
from tests.fuzz.targets import CORPUS, TARGETS

FILES = sorted(path for path in CORPUS.rglob("*") if path.is_file())


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_nothing_but_a_croupier_error_comes_out(path: Path) -> None:
    with suppress(CroupierError):
        TARGETS[path.parent.name](path.read_bytes())


@pytest.mark.parametrize("path", [path for path in FILES if path.name.startswith("bug-")], ids=lambda path: path.stem)
def test_the_input_of_a_bug_is_refused(path: Path) -> None:
    with pytest.raises(CroupierError):
        TARGETS[path.parent.name](path.read_bytes())


def test_every_target_has_a_corpus() -> None:
    assert {path.parent.name for path in FILES} == set(TARGETS)


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("configuration", "example.toml"),
        ("table_log", "play.jsonl"),
        ("calibration", "table.toml"),
        ("score_sheet", "evening.score"),
    ],
)
def test_a_good_sample_is_accepted(target: str, name: str) -> None:
    TARGETS[target]((CORPUS / target / name).read_bytes())
