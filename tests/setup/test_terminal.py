"""`croupier setup` in the terminal."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from croupier.cli.main import run
from croupier.config import load
from tests.pictures.test_calibrate import SPREAD, view


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def typed(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_a_step_is_asked_tried_and_kept(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "none", "", "fast", "15", "k")
    assert run(["setup", "camera"]) == 0
    told = capsys.readouterr().out
    assert "expected a number, 1 to 120" in told
    assert "This table has no camera." in told
    assert load(here / "croupier.toml").camera.fps == 15


def test_what_is_dropped_is_not_written(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "none", "", "", "d")
    assert run(["setup", "camera"]) == 1
    assert not (here / "croupier.toml").exists()


def test_who_stops_typing_keeps_what_was_kept(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "none", "", "", "k", "usb")
    assert run(["setup", "camera", "ring"]) == 1
    assert "nothing else was changed" in capsys.readouterr().out
    assert load(here / "croupier.toml").camera.source == "none"


def test_pins_are_asked_only_where_they_are_used_and_a_step_is_gone_through_again(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "pi", "17", "18", "", "", "", "", "", "", "19", "", "k")
    assert run(["setup", "shoe"]) == 0
    told = capsys.readouterr().out
    assert "missing: exit; expected the pin of each" in told
    assert "Which port" not in told
    shoe = load(here / "croupier.toml").shoe
    assert (shoe.kind, shoe.forward, shoe.back, shoe.exit, shoe.hopper) == ("pi", 17, 18, 19, None)


def test_phones_may_look_at_the_page_of_a_table_without_a_screen(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "", "", "", "", "", "0.0.0.0", "k")
    assert run(["setup", "ruleset"]) == 0
    told = capsys.readouterr().out
    assert "Who can open its page?" in told
    assert "The page is open to your network." in told
    assert load(here / "croupier.toml").page.address == "0.0.0.0"


@pytest.mark.slow
def test_the_camera_looks_and_finds_the_table(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "seen").mkdir()
    for n in range(3):
        view(here / "seen" / f"{n}.png", *SPREAD)
    (here / "croupier.toml").write_text('[camera]\nsource = "seen"\nsize = "1280x720"\n')
    typed(monkeypatch, "", "y", "k", "", "n", "k")
    assert run(["setup", "table", "deck"]) == 0
    told = capsys.readouterr().out
    assert "table.toml has been saved." in told
    assert (here / "setup-seen.png").stat().st_size > 10_000
    assert load(here / "croupier.toml").camera.calibration == here / "table.toml"
    assert (here / "table.toml").exists()


@pytest.mark.slow
@pytest.mark.parametrize("end", ["d", None])
def test_a_calibration_that_is_not_kept_leaves_that_of_the_table_as_it_was(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], end: str | None
) -> None:
    (here / "seen").mkdir()
    view(here / "seen" / "0.png", *SPREAD)
    (here / "croupier.toml").write_text('[camera]\nsource = "seen"\nsize = "1280x720"\ncalibration = "club.toml"\n')
    (here / "club.toml").write_text("as it was")
    typed(monkeypatch, "", "y", *([end] if end else []))
    assert run(["setup", "table"]) == 1
    told = capsys.readouterr().out
    assert "Pile, hands and seats are known" in told  # the new one was tried
    assert (here / "club.toml").read_text() == "as it was"
    assert sorted(one.name for one in here.iterdir()) == ["club.toml", "croupier.toml", "seen", "setup-seen.png"]


@pytest.mark.parametrize(
    ("arguments", "text", "complaint"),
    [
        (["setup", "kitchen"], "", "there is no step 'kitchen'; expected one of camera, table"),
        (["setup"], "[camera]\nsoruce = 3\n", "croupier.toml:2: [camera] soruce: unknown option"),
    ],
)
def test_bad_input_is_told_in_a_line(
    here: Path, arguments: list[str], text: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if text:
        (here / "croupier.toml").write_text(text)
    assert run(arguments) == 2
    assert complaint in capsys.readouterr().err
