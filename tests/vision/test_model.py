"""The shipped model: its calibrations come from the file that training writes, its card from its figures."""

from __future__ import annotations

import ast
import importlib
import shutil
from pathlib import Path

import cv2
import pytest

from cardsight import layout
from cardsight import model as models
from cardsight.fusion import ConfidenceCalibration
from cardsight.reader import Reader
from tests.vision.laid import Lying, picture
from training import card, recipe
from training.photos import LICENSED

TRAINING = Path(card.__file__).parent


def test_the_figures_are_those_that_training_wrote_beside_the_networks(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(models.FOLDER, folder)
    saved = [ConfidenceCalibration(*line) for line in ((2.0, 0.25), (0.5, -1.0))]
    models.save_figures(folder, saved, ({"blur": 0.75},))
    loaded = models.load(folder)
    assert [loaded.calibration, loaded.occluded] == saved
    assert loaded.poor == {"blur": 0.75}


def test_what_is_saved_of_the_shipped_figures_is_what_ships(tmp_path: Path) -> None:
    shipped = models.load()
    models.save_figures(tmp_path, (shipped.calibration, shipped.occluded), (shipped.poor,))
    assert (tmp_path / models.FIGURES).read_bytes() == (models.FOLDER / models.FIGURES).read_bytes()


def test_an_occluded_card_is_believed_as_the_model_says(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(models.FOLDER, folder)
    shipped = models.load()
    models.save_figures(folder, (shipped.calibration, ConfidenceCalibration(0.05, -3.0)), (shipped.poor,))
    laid = [Lying("red-7", 500, 360, 0, 200), Lying("blue-2", 640, 400, 60, 200), Lying("wild", 1000, 360, 0, 200)]
    image = picture(laid)
    as_shipped, doubtful = (
        {card.face: card.confidence for card in Reader(model).read(image).cards}
        for model in (shipped, models.load(folder))
    )
    assert {*as_shipped} == {"red-7", "blue-2", "wild"}
    assert doubtful["wild"] == pytest.approx(as_shipped["wild"])
    assert "red-7" not in doubtful or doubtful["red-7"] < as_shipped["red-7"]


def test_a_processor_with_half_precision_reads_without_a_word_of_the_library(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cv2, "checkHardwareSupport", lambda feature: True)
    found = Reader(models.load()).read(picture([Lying("red-7", 400, 300, 20, 150)])).cards
    assert [card.face for card in found] == ["red-7"]
    assert capfd.readouterr() == ("", "")


def test_the_card_is_what_its_command_writes() -> None:
    assert card.text() == (models.FOLDER / "card.md").read_text(encoding="utf-8")


def test_the_shipped_files_are_those_of_the_card() -> None:
    assert card.record().files == card.hashes(models.FOLDER)


def test_the_shipped_layout_is_that_of_its_record() -> None:
    made = card.record(layout.FOLDER)
    assert made.files == card.hashes(layout.FOLDER, [layout.NETWORK, layout.FIGURES])
    assert set(made.learned) <= set(LICENSED)
    if made.recipe:
        assert made.recipe == recipe.of_code("training.train_evidence")
    else:
        assert made.remarks, "what `make train` does not make as it is must say how it was made"


def test_the_shipped_model_is_what_make_train_makes_today() -> None:
    """If this fails, `make train` makes the model anew: nothing else may change what the record says."""
    assert card.record().recipe == recipe.of_code()


def test_the_shipped_model_has_learned_from_no_photograph_without_a_license() -> None:
    assert set(card.record().learned) <= set(LICENSED)


def test_a_recipe_is_what_is_computed_and_not_how_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = tmp_path / "course.py"
    monkeypatch.setattr(recipe, "FOLDERS", {"training": tmp_path})
    hashes = []
    for text in (
        "STEPS = 3\ndef rate(n):\n    return STEPS / n\n",
        "STEPS = 3\ndef rate(n):\n    return STEPS / n\ndef run(net: Network):\n    return net.run(STEPS)\n",
        '"""Steps."""\nSTEPS = (3)  # few\n\n\ndef rate(n: int) -> float:\n    """Rate."""\n    return STEPS/n\n',
        "STEPS = 4\ndef rate(n):\n    return STEPS / n\n",
    ):
        module.write_text(text, encoding="utf-8")
        hashes.append(recipe.of_code())
    assert hashes[0] == hashes[1] == hashes[2] != hashes[3]


def test_training_finds_in_the_card_reader_what_it_imports() -> None:
    """PyTorch, which most of training needs, is not installed where the tests run."""
    for path in TRAINING.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("cardsight"):
                module = importlib.import_module(node.module or "")
                for name in (alias.name for alias in node.names):
                    if not hasattr(module, name):
                        importlib.import_module(f"{node.module}.{name}")
