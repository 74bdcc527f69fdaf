from __future__ import annotations

import re
import struct
from pathlib import Path

from hardware.cad.steps import STEPS

FOLDER = Path(__file__).parents[2] / "hardware"
TEXT = (FOLDER / "assembly.md").read_text(encoding="utf-8")


def test_every_step_has_its_picture_and_its_place_in_the_text() -> None:
    shown = re.findall(r"!\[[^\]]+\]\(pictures/(\S+)\.png\)", TEXT)
    assert sorted(shown) == sorted(step.name for step in STEPS)


def test_every_picture_is_one_of_a_step_small_and_not_empty() -> None:
    assert {path.stem for path in (FOLDER / "pictures").iterdir()} == {step.name for step in STEPS}
    for path in (FOLDER / "pictures").iterdir():
        data = path.read_bytes()
        assert data[:8] == b"\x89PNG\r\n\x1a\n", path.name
        assert struct.unpack(">II", data[16:24]) == (900, 640), path.name
        assert 5_000 < len(data) < 100_000, path.name


def test_every_link_leads_to_a_file() -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", TEXT):
        assert (FOLDER / link).exists(), link


def test_every_drawing_of_the_wiring_is_linked() -> None:
    assert {f"wiring/{path.name}" for path in (FOLDER / "wiring").glob("*.svg")} <= set(
        re.findall(r"\(([^)]+)\)", TEXT)
    )


def test_it_says_that_nothing_has_been_built() -> None:
    assert "Nothing of this has been built on a bench yet." in TEXT.replace("\n", " ")
