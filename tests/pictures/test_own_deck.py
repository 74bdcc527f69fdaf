"""A deck with names of its own: enrolled from one pass, then read, tallied and audited; no referee is asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from croupier.cli import main
from croupier.errors import BadProfile
from croupier.pictures.table_reader import hand_readers, reader_of
from croupier_rules.deck_list import DeckList
from tests.rules.test_deck_list import TWO_SIDED
from training.measure.own_deck import FILE, edition, laid

LIGHT = ["red-3", "yellow-8", "blue-7", "green-flip", "red-draw1", "yellow-skip", "blue-reverse", "wild"]
DARK = ["orange-3", "pink-8", "teal-7", "purple-flip", "orange-draw5", "pink-skip-all", "teal-reverse", "purple-5"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[Any], str]:
    status = main.run([*arguments, "--json"])
    told = capsys.readouterr()
    return status, [json.loads(line) for line in told.out.splitlines()], told.err


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The deck file, the profile that was learned of one pass, and pictures of a hand of each side."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "two-sided.toml").write_text(TWO_SIDED)
    rng = np.random.default_rng(7)
    sides = edition(rng)
    for name, faces in (("light-pass", LIGHT), ("dark-pass", DARK), ("light-hand", LIGHT[:5]), ("dark-hand", DARK)):
        (table,) = laid(faces, sides, rng)
        cv2.imwrite(str(folder / f"{name}.png"), table.picture)
    (folder / "names.txt").write_text(f"light-pass.png: {' '.join(LIGHT)}\ndark-pass.png: {' '.join(DARK)}\n")
    passes = [str(folder / f"{side}-pass.png") for side in ("light", "dark")]
    own = ["--deck", str(folder / "two-sided.toml"), "--deck-profile", str(folder / "own.deck")]
    main.run(["enroll", *passes, "--names", str(folder / "names.txt"), *own, "--json"])
    return folder


@pytest.mark.slow
def test_one_pass_over_the_deck_learns_its_names(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, lines, _ = run(
        capsys, "enroll", str(folder / "dark-pass.png"), "--names", str(folder / "names.txt"),
        "--deck", str(folder / "two-sided.toml"), "--deck-profile", str(folder / "own.deck"),
    )  # fmt: skip
    assert set(LIGHT + DARK) <= set(lines[-1]["learned"])
    assert (status, "orange-4" in lines[-1]["missing"]) == (1, True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hand", "points"), [("light", 3 + 8 + 7 + 20 + 10), ("dark", 3 + 8 + 7 + 20 + 20 + 30 + 20 + 5)]
)
def test_a_hand_is_tallied_by_the_deck_file(
    folder: Path, hand: str, points: int, capsys: pytest.CaptureFixture[str]
) -> None:
    own = "--deck", str(folder / "two-sided.toml"), "--deck-profile", str(folder / "own.deck")
    status, (seen, total), _ = run(capsys, "tally", str(folder / f"{hand}-hand.png"), *own)
    assert [card["card"] for card in seen["cards"]] == (LIGHT[:5] if hand == "light" else DARK)
    assert (status, total) == (0, {"total": points})


@pytest.mark.slow
def test_the_configuration_names_deck_file_and_profile(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    (folder / "croupier.toml").write_text('[deck]\nfile = "two-sided.toml"\nprofile = "own.deck"\n')
    _, (_, total), _ = run(capsys, "tally", "dark-hand.png")
    assert total == {"total": 113}
    _, lines, _ = run(capsys, "audit", "dark-hand.png")
    assert (lines[-1]["expected"], lines[-1]["read"]) == (112, 8), "the dark side alone was shown"


@pytest.mark.slow
def test_without_the_deck_file_nobody_knows_the_points(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile = str(folder / "own.deck")
    status, lines, told = run(capsys, "tally", str(folder / "dark-hand.png"), "--deck-profile", profile)
    assert (status, lines) == (2, [])
    assert "nothing says what" in told
    assert "--deck my-deck.toml" in told
    assert len(told.splitlines()) == 1


@pytest.mark.slow
def test_no_referee_is_asked_about_such_a_deck(folder: Path) -> None:
    with pytest.raises(BadProfile, match="no rule sheet knows"):
        reader_of(folder / "own.deck")
    with pytest.raises(BadProfile, match="no rule sheet knows"):
        hand_readers(folder / "own.deck", is_refereed=True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["audit", "x.jpg", "--deck", "none.toml"], "none.toml: No such file or directory; expected a deck file"),
        (["tally", "x.jpg", "--deck", "g794"], "there is no g794; expected one of g7942"),
        (["read", "x.jpg", "--deck", "bad.toml"], "bad.toml: line 2: "),
        (["enroll", "x.jpg", "--deck", "own.toml"], "own.toml: [card.flip] points: missing"),
    ],
)
def test_a_deck_that_cannot_be_is_told_in_one_line(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.toml").write_text("colored = {}\nwilds = {{")
    Path("own.toml").write_text("colored = { flip = 2 }")
    assert main.run(arguments) == 2
    told = capsys.readouterr()
    assert said in told.err
    assert len(told.err.splitlines()) == 1


def test_the_drawn_edition_has_the_cards_of_its_deck_file() -> None:
    assert len(DeckList.parse(FILE, "own.toml").cards) == 108
