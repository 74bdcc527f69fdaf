"""From a picture file to an answer, with the reader and the model that ship; the cards are drawn."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import cv2
import numpy as np
import pytest
from PIL import Image

from croupier.pictures.table_reader import hand_readers
from croupier_bench.vision import most_memory_kib
from tests.vision.laid import Lying, picture

HAND = (
    "red-7",
    "blue-0",
    "green-skip",
    "yellow-9",
    "wild",
    "red-draw2",
    "wild-draw4",
    "green-6",
    "blue-reverse",
    "yellow-2",
)
POINTS = 7 + 0 + 20 + 9 + 50 + 20 + 50 + 6 + 20 + 2
SIZE = (1920, 1080)


def hand() -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Ten cards in two rows, each turned its own way."""
    places = [(250 + 355 * (n % 5), 300 + 480 * (n // 5)) for n in range(len(HAND))]
    return picture(
        [
            Lying(face, *place, turn=37.0 * n, width=150)
            for n, (face, place) in enumerate(zip(HAND, places, strict=True))
        ],
        size=SIZE,
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The same hand, as several kinds of file."""
    folder = tmp_path_factory.mktemp("hands")
    shown = Image.fromarray(hand()[..., ::-1])
    turned = Image.Exif()
    turned[0x0112] = 6  # shown a quarter to the right of how it is stored
    shown.save(folder / "hand.jpg", quality=95)
    shown.transpose(Image.Transpose.ROTATE_90).save(folder / "turned.jpg", quality=95, exif=turned)
    shown.convert("CMYK").save(folder / "print.jpg", quality=95)
    cv2.imwrite(str(folder / "deep.png"), hand().astype(np.uint16) * 257)
    return {path.stem: str(path) for path in folder.iterdir()}


def croupier(*arguments: str) -> tuple[int, list[Any], str]:
    """Exit status, JSON lines and standard error of the program."""
    program = [str(Path(sys.executable).with_name("croupier")), *arguments, "--json"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


@pytest.mark.long
@pytest.mark.slow
def test_a_folder_stands_for_its_pictures_and_the_same_cards_are_read_in_every_kind_of_file(
    files: dict[str, str],
) -> None:
    status, told, err = croupier("read", str(Path(files["hand"]).parent))
    assert (status, err) == (0, "")
    assert [Path(line["image"]).name for line in told] == ["deep.png", "hand.jpg", "print.jpg", "turned.jpg"]
    for line in told:
        assert sorted(card["card"] for card in line["cards"]) == sorted(HAND), line["image"]
        assert line["size"] == list(SIZE)
        middles = {card["card"]: np.mean(card["quad"], axis=0) for card in line["cards"]}
        assert np.abs(middles["red-7"] - (250, 300)).max() < 5


@pytest.mark.slow
def test_a_hand_is_scored_and_drawn(files: dict[str, str], tmp_path: Path) -> None:
    out = tmp_path / "scored.png"
    status, told, _ = croupier("tally", files["hand"], "--picture", str(out))
    assert (status, told[0]["points"], told[-1]) == (0, POINTS, {"total": POINTS})
    drawn = cv2.imread(str(out))
    assert drawn is not None
    assert drawn.shape == (SIZE[1], SIZE[0], 3)


@pytest.mark.long
@pytest.mark.slow
def test_the_time_of_a_picture_is_all_that_passed_until_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    _read, still, _profile = hand_readers(None)
    clock = iter([100.0, 100.75])
    monkeypatch.setattr("croupier.pictures.table_reader.time", SimpleNamespace(perf_counter=lambda: next(clock)))
    assert still(picture([Lying("red-7", 640, 360)])).ms == 750


@pytest.mark.long
@pytest.mark.slow
def test_a_deck_is_audited(files: dict[str, str]) -> None:
    status, told, _ = croupier("audit", files["hand"], "--deck", "g7942")
    assert status == 1
    assert told[-1]["read"] == len(HAND)
    assert sum(told[-1]["missing"].values()) == 108 - len(HAND)
    assert told[-1]["extra"] == {}


@pytest.mark.long
@pytest.mark.slow
def test_spoilt_files_between_good_ones_are_reported_and_passed_over(files: dict[str, str], tmp_path: Path) -> None:
    empty = tmp_path / "empty.jpg"
    empty.touch()
    ground = tmp_path / "ground.png"
    cv2.imwrite(str(ground), np.full((16, 16, 3), 90, np.uint8))
    status, told, err = croupier("read", str(empty), str(ground), files["hand"])
    assert status == 2
    assert told[0] == {"image": str(empty), "error": "the file is empty; expected a picture"}
    assert [len(line["cards"]) for line in told[1:]] == [0, len(HAND)]
    assert err.splitlines() == [f"croupier read: {empty}: the file is empty; expected a picture"]


@pytest.mark.slow
def test_reading_stays_within_300_mb(files: dict[str, str]) -> None:
    """The whole program; a small Raspberry Pi has 1 GB in all."""
    assert most_memory_kib(Path(files["hand"])) < 300_000  # kB
