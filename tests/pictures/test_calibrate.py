"""`croupier calibrate` as people use it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from pypdf import PdfReader
from pypdf.generic import ContentStream

from cardsight.calibrate import Calibration, Plane, sheet, table
from cardsight.calibrate.table import SEAT_MM
from cardsight.sighting import Reading
from croupier.cli import main
from croupier.pictures.calibrate import View, calibrated
from croupier.pictures.calibrate import view as look
from tests.vision.laid import Lying, picture

PX_PER_MM = 2.0
SIZE = (1280, 720)
POINT_MM = 25.4 / 72


def view(path: Path, *cards: tuple[str, float, float]) -> str:
    """Cards on a table seen straight from above, their places in mm from its middle."""
    lying = [
        Lying(face, SIZE[0] / 2 + x * PX_PER_MM, SIZE[1] / 2 + y * PX_PER_MM, 15.0 * n, 56 * PX_PER_MM)
        for n, (face, x, y) in enumerate(cards)
    ]
    cv2.imwrite(str(path), picture(lying, size=SIZE))
    return str(path)


SPREAD = [("red-7", 5.0, -3.0), ("blue-1", -230.0, -100.0), ("green-4", 220.0, -90.0), ("wild", -200.0, 100.0)]


def spoken(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main.run(["calibrate", *arguments, "--json"]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


@pytest.mark.long
@pytest.mark.slow
def test_a_table_is_calibrated_by_its_cards_and_redone_step_by_step(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = str(tmp_path / "table.toml")
    seen = str(tmp_path / "seen.png")
    told = spoken(capsys, view(tmp_path / "a.png", *SPREAD), "--calibration", kept, "--picture", seen, "--seats", "5")
    found = table.load(Path(kept))
    np.testing.assert_allclose(found.plane.to_mm([(1040, 360), (640, 160)]), [(200, 0), (0, -100)], atol=6)
    np.testing.assert_allclose(told["pile"], (5, -3), atol=3)
    assert (len(told["seats"]), told["tally"], told["size"]) == (5, None, [1280, 720])
    assert cv2.imread(seen) is not None

    before = spoken(capsys, view(tmp_path / "b.png", ("red-1", 40, 20)), "--calibration", kept, "--only", "pile")
    np.testing.assert_allclose(before["pile"], (40, 20), atol=4)
    np.testing.assert_allclose(before["homography"], told["homography"], atol=1e-6)
    corners = view(tmp_path / "c.png", ("red-1", -150, -100), ("blue-2", 150, 100))
    area = spoken(capsys, corners, "--calibration", kept, "--only", "tally")["tally"]
    assert np.ptp(np.array(area), axis=0) == pytest.approx((300 + 88, 200 + 118), abs=20)
    places = view(tmp_path / "d.png", ("red-1", 0, 140), ("blue-2", -230, 0), ("green-3", 230, 0))
    seats = spoken(capsys, places, "--calibration", kept, "--only", "seats")["seats"]
    np.testing.assert_allclose(seats, [(0, 140), (-230, 0), (230, 0)], atol=6)


@pytest.mark.slow
def test_the_printed_sheet_calibrates_all_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed, kept = tmp_path / "sheet.png", str(tmp_path / "table.toml")
    assert main.run(["calibrate", "--sheet", str(printed)]) == 0
    paper = cv2.imread(str(printed))
    assert paper is not None
    capsys.readouterr()
    ground = np.full((900, 1600, 3), (70, 110, 150), np.uint8)
    small = cv2.resize(paper, None, fx=PX_PER_MM * 25.4 / 150, fy=PX_PER_MM * 25.4 / 150, interpolation=cv2.INTER_AREA)
    height, width = small.shape[:2]
    ground[200 : 200 + height, 300 : 300 + width] = small
    cv2.imwrite(str(tmp_path / "a.png"), ground)
    assert main.run(["calibrate", str(tmp_path / "a.png"), "--calibration", kept]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].startswith("  plane: from the sheet, 8 of 8 markers; error 0.")
    found = table.load(Path(kept))
    np.testing.assert_allclose(found.plane.to_px([(0, 0)]), [(300 + width / 2, 200 + height / 2)], atol=1.5)
    assert found.white is not None
    assert np.ptp(found.white) < 0.05 * max(found.white)


def laid_sheet(x: float, y: float, turn: float) -> View:
    """What is found in a picture of the sheet with its middle there (px), turned clockwise by so many degrees."""
    paper = sheet.as_picture()
    scale = PX_PER_MM * 25.4 / 150
    matrix = cv2.getRotationMatrix2D((paper.shape[1] / 2, paper.shape[0] / 2), -turn, scale)
    matrix[:, 2] += (x - paper.shape[1] / 2, y - paper.shape[0] / 2)
    ground = np.full((SIZE[1], SIZE[0], 3), (70, 110, 150), np.uint8)
    soft = cv2.GaussianBlur(paper, (0, 0), 0.8 / scale)
    image = cv2.warpAffine(soft, matrix, SIZE, ground, borderMode=cv2.BORDER_TRANSPARENT)
    return look(np.asarray(image, np.uint8), lambda picture: Reading(SIZE, ()), (56.0, 88.0))


@pytest.mark.parametrize("turn", [0, 90, 180, 215])
def test_however_the_sheet_lies_the_seats_are_where_it_is_said_that_they_are(turn: int) -> None:
    seen = laid_sheet(500, 380, turn)
    found = calibrated(seen, None, (), 4)
    reach = SEAT_MM * PX_PER_MM
    clockwise = [(500, 380 + reach), (500 - reach, 380), (500, 380 - reach), (500 + reach, 380)]
    np.testing.assert_allclose(found.plane.to_px(found.seats), clockwise, atol=6)
    assert (
        "seats: 4, spread evenly around the pile, clockwise, starting with the lowest in the picture" in seen.findings
    )


@pytest.mark.parametrize("turn", [0, 90, 180])
def test_a_camera_that_was_pushed_sees_all_around_the_sheet_where_it_saw_it_around_the_pile(turn: int) -> None:
    plane = Plane(np.array([[PX_PER_MM, 0, SIZE[0] / 2], [0, PX_PER_MM, SIZE[1] / 2], [0, 0, 1]]))
    area = ((-300.0, -150.0), (300.0, -150.0), (300.0, -70.0), (-300.0, -70.0))
    before = Calibration(SIZE, plane, (-60.0, 10.0), area).with_seats_at([(-60, 200), (-290, 5), (170, 5)])
    push = np.array((35.0, -20.0))
    x, y = before.pile_px().mean(axis=0) + push
    seen = laid_sheet(float(x), float(y), turn)
    found = calibrated(seen, before, ["plane"], None)
    np.testing.assert_allclose(found.pile_px().mean(axis=0), (x, y), atol=1.5)
    np.testing.assert_allclose(found.tally_px(), before.tally_px() + push, atol=6)
    np.testing.assert_allclose(found.plane.to_px(found.seats), plane.to_px(before.seats) + push, atol=6)
    assert seen.findings[1:] == ["discard pile: where the sheet lies"]


def rectangles(pdf: PdfReader) -> list[tuple[float, float, float, float, float]]:
    """Filled rectangles of the first page: left, top, right, bottom in mm from its middle, and gray (0 black … 1)."""
    found: list[tuple[float, float, float, float, float]] = []
    gray = 0.0
    for operands, operator in ContentStream(pdf.pages[0].get_contents(), pdf).operations:
        match operator:
            case b"g":
                gray = float(operands[0])
            case b"re":
                x, y, width, height = (float(one) * POINT_MM for one in operands)
                (left, right), (low, high) = sorted((x, x + width)), sorted((y, y + height))
                wide, tall = sheet.PAPER_MM
                found.append((left - wide / 2, tall / 2 - high, right - wide / 2, tall / 2 - low, gray))
    return found


@pytest.mark.long
def test_the_pdf_has_its_true_size_and_the_reader_finds_its_markers_where_they_are_printed(tmp_path: Path) -> None:
    assert main.run(["calibrate", "--sheet", str(tmp_path / "sheet.pdf")]) == 0
    pdf = PdfReader(tmp_path / "sheet.pdf")
    (page,) = pdf.pages
    assert [float(side) * POINT_MM for side in page.mediabox] == pytest.approx((0, 0, *sheet.PAPER_MM), abs=0.01)
    preferences = pdf.viewer_preferences
    assert preferences is not None
    assert str(preferences["/PrintScaling"]) == "/None"
    assert all(words in page.extract_text() for _y, words in sheet.WORDS)
    drawn = rectangles(pdf)
    wanted = [(box.left, box.top, box.right, box.bottom, box.gray) for box in sheet.boxes()]
    np.testing.assert_allclose(drawn, wanted, atol=0.01)

    px_per_mm, middle = 10.0, np.array(sheet.PAPER_MM) / 2
    image = np.full((2100, 2790, 3), 255, np.uint8)
    for left, top, right, bottom, gray in drawn:
        (x0, y0), (x1, y1) = (np.rint((middle + at) * px_per_mm).astype(int) for at in ((left, top), (right, bottom)))
        image[y0:y1, x0:x1] = round(gray * 255)
    seen = sheet.find(image)
    assert seen is not None
    assert seen.markers == tuple(range(8))
    printed_px = (np.array(sheet.MARKERS_MM) + middle) * px_per_mm
    np.testing.assert_allclose(seen.plane.to_mm(printed_px), sheet.MARKERS_MM, atol=0.1)


def test_without_fpdf_one_line_names_the_extra_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "fpdf", None)
    assert main.run(["calibrate", "--sheet", str(tmp_path / "sheet.pdf")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "fpdf: install croupier with its extra paper" in line
    assert list(tmp_path.iterdir()) == []


def test_the_sheet_is_written_once_and_only_as_pdf_or_png(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "sheet.pdf"
    assert main.run(["calibrate", "--sheet", str(out)]) == 0
    assert out.read_bytes().startswith(b"%PDF-1.")
    assert main.run(["calibrate", "--sheet", str(out)]) == 2
    assert "already exists" in capsys.readouterr().err
    assert main.run(["calibrate", "--sheet", str(tmp_path / "sheet.doc")]) == 2
    assert "ends in .pdf, .png" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.png"], "none.png: no such file"),
        ([], "no picture; expected one of the table"),
        (["a.png", "--only", "moon"], "there is no moon"),
        (["a.png", "--card-mm", "56"], "expected width x length in mm"),
        (["a.png", "--only", "pile"], "calibrate the whole table first"),
        (["a.png"], "cards seen: 1; expected at least 3"),
        (["a.png", "--seats", "1"], "--seats"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(
    tmp_path: Path,
    arguments: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    view(tmp_path / "a.png", ("red-7", 0, 0))
    assert main.run(["calibrate", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
    assert not (tmp_path / "table.toml").exists()
