"""The examples do what they say, by the public interface alone."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import cv2
import numpy as np
import pytest

import cardsight
import croupier_rules
from tests.vision.laid import Lying, picture
from tools.lock import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PUBLIC = {"croupier_rules": set(croupier_rules.__all__), "cardsight": set(cardsight.__all__)}
FPS, SIZE, CARD_PX = 15, (480, 360), 190
HAND = (95, 130, 190)


def run(example: str, *arguments: str | Path) -> str:
    """What an example prints."""
    command = [sys.executable, "-W", "error", str(ROOT / "examples" / example), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_is_short_and_uses_public_names_only(example: Path) -> None:
    tree = ast.parse(example.read_text(encoding="utf-8"))
    assert sum(not isinstance(node, ast.Import | ast.ImportFrom | ast.Expr) for node in tree.body) <= 10
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert {alias.name for alias in node.names} <= PUBLIC[str(node.module)]
    docstring = ast.get_docstring(tree)
    assert docstring
    assert re.search(r"Needs (croupier-rules|cardsight) only\.", docstring)


@pytest.mark.parametrize("module", [croupier_rules, cardsight], ids=lambda module: str(module.__name__))
def test_every_public_name_can_be_imported_and_is_in_the_page_about_it(module: ModuleType) -> None:
    page = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    for name in module.__all__:
        assert getattr(module, name) is not None
        assert f"`{name}`" in page or name in ("__version__", "Doubt", "Corners"), name
    with pytest.raises(AttributeError, match="has no attribute 'Croupier'"):
        _ = module.Croupier


def test_plays_are_judged_with_the_sentence_of_the_sheet() -> None:
    told = run("judge.py")
    assert "Ben plays red 8.\n  It is Ann's turn" in told
    assert re.search(r"Ann may not play blue 2.* – He/she has to match the card on the DISCARD pile", told)


def test_a_position_is_gone_on_from() -> None:
    assert run("position.py") == (
        "may come next: blue-1 blue-1* red-7 red-7*\ntop red-7, Ben is on turn, cards in hand (2, 2, 9)\n"
    )


def test_the_cards_in_a_picture_are_named_with_their_places(tmp_path: Path) -> None:
    cv2.imwrite(
        str(tmp_path / "table.png"), picture([Lying("red-7", 400, 300, 20, 150), Lying("wild", 800, 400, 0, 150)])
    )
    told = run("read_picture.py", tmp_path / "table.png")
    found = re.findall(r"^(\S+) at x (\d+), y (\d+) px, \d+% sure$", told, re.MULTILINE)
    assert [face for face, _x, _y in found] == ["red-7", "wild"]
    places = [(int(x), int(y)) for _face, x, y in found]
    assert np.abs(np.subtract(places, [(400, 300), (800, 400)])).max() <= 2


def test_a_card_that_is_laid_in_a_video_is_told_with_its_face(tmp_path: Path) -> None:
    video = cv2.VideoWriter(str(tmp_path / "pile.avi"), cv2.VideoWriter.fourcc(*"MJPG"), FPS, SIZE)
    lies = (Lying("green-4", 240, 180, 0, 120),)
    for n in range(45):
        frame = picture(lies if n >= 15 else (), "green cloth", SIZE, n % 4).copy()
        if 12 <= n < 20:
            cv2.rectangle(frame, (0, 150), (240, 210), HAND, -1)
        video.write(np.ascontiguousarray(frame))
    video.release()
    told = run("follow_pile.py", tmp_path / "pile.avi", str(CARD_PX))
    assert "green-4" in told
    assert told.startswith("Touched(")
