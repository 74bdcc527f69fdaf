"""`croupier host` as people start it: what it asks and keeps, and where the browser is led."""

from __future__ import annotations

import signal
import socket
import stat
import sys
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardsight.sources.found import FoundCamera
from croupier.cli import main
from croupier.config import load
from croupier.files import user_folder
from croupier.runtime.host import choices, greet, new_options
from tests.runtime.test_run_command import Terminal

WEBCAMS = [FoundCamera("usb:0", "Integrated Camera", None), FoundCamera("usb:2", "HD Webcam", (1280, 720))]


@pytest.fixture
def begun(tmp_path: Path) -> Iterator[list[Terminal]]:
    """Programs; nothing that was started outlives the test."""
    started: list[Terminal] = []
    yield started
    for one in started:
        one.program.kill()
        one.program.wait()


def hosting(folder: Path, begun: list[Terminal], *arguments: str) -> Terminal:
    begun.append(Terminal(folder, "host", "--no-browser", *arguments, XDG_CONFIG_HOME=str(folder)))
    return begun[-1]


@pytest.mark.long
@pytest.mark.slow
def test_a_table_is_hosted_without_a_file_and_goes_on_the_next_time(tmp_path: Path, begun: list[Terminal]) -> None:
    first = hosting(tmp_path, begun, "--camera", "none")
    first.wait_for("Who plays? Names clockwise")
    first.type("Ann, Ben,Cat")
    file = tmp_path / "croupier/croupier.toml"
    first.wait_for(f"{file} now describes this table.")
    first.wait_for("Game 1: Ann, Ben, Cat.")
    first.wait_for("The page is at http://127.0.0.1:")
    first.wait_for("The admin code for the page")
    if host_address():
        first.wait_for("██ █▄▄▄█ ")  # a corner of the QR code
    assert first.end(signal.SIGTERM) == 0
    assert load(file).seats.names == ("Ann", "Ben", "Cat")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600

    second = hosting(tmp_path, begun)
    second.wait_for("Resuming game 1: Ann, Ben, Cat.")
    second.wait_for("The page is at http://127.0.0.1:")
    assert "The admin code for the page" not in second.shown, "the first one is still valid"
    assert second.end(signal.SIGTERM) == 0


def host_address() -> bool:
    """Whether this machine has a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return False
        return not probe.getsockname()[0].startswith("127.")


def test_a_new_table_has_the_last_camera_and_asks_who_plays_once(tmp_path: Path) -> None:
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return " Ann,, Ben "

    path = tmp_path / "croupier.toml"
    options = new_options(path, (), None, WEBCAMS, ask)
    assert options == {
        ("camera", "source"): "usb:2", ("camera", "size"): "1280x720", ("page", "address"): "0.0.0.0",
        ("seats", "names"): ["Ann", "Ben"],
        ("seats", "number"): None,
    }  # fmt: skip
    path.write_text("")
    assert new_options(path, (), None, WEBCAMS, ask) == {}
    assert len(asked) == 1


def test_names_that_cannot_play_are_asked_for_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = iter(["Ann", "Ann, Ann", "Ann, Ben"])
    options = new_options(tmp_path / "croupier.toml", (), None, [], lambda _question: next(answers))
    assert options["seats", "names"] == ["Ann", "Ben"]
    said = capsys.readouterr().out.splitlines()
    assert [line.split(";")[0] for line in said] == [
        "Ann: 1 seat: expected 2 to 10", 'Ann, Ann: "Ann" appears twice: expected different names',
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "named"),
    [
        pytest.param(["Ann"], "croupier: Ann: 1 seat: expected 2 to 10; name all who play, clockwise: ", id="too-few"),
        pytest.param([*"ABCDEFGHIJK"], "croupier: A, B, C, ", id="too-many"),
        pytest.param(["Ann", "Ben", "--camera", "nonsense"], "croupier: nonsense: ", id="camera"),
    ],
)
@pytest.mark.parametrize("kept", [None, '[seats]\nnames = ["Ann", "Ben", "Cat"]\n'])
def test_what_was_typed_is_named_and_no_line_of_a_file_where_it_does_not_stand(
    typed: list[str], named: str, kept: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "croupier.toml"
    if kept is not None:
        file.write_text(kept)
    assert main.run(["host", "--config", str(file), *typed]) == 2
    error = capsys.readouterr().err
    assert error.startswith(named)
    assert str(file) not in error
    assert error.count("\n") == 1
    assert (file.read_text() if file.exists() else None) == kept


def test_a_mistake_that_was_in_the_file_is_named_by_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "croupier.toml"
    file.write_text('[voice]\nlanguage = "moon"\n')
    assert main.run(["host", "--config", str(file), "Ann", "Ben"]) == 2
    assert capsys.readouterr().err.startswith(f"croupier: {file}:2: [voice] language: ")


@pytest.mark.parametrize(
    ("names", "source", "camera"),
    [
        pytest.param((), None, "none", id="nothing-is-there"),
        pytest.param(("Ann", "Ben"), "http://phone/", "http://phone/", id="all-is-given"),
    ],
)
def test_what_is_given_is_not_asked(names: tuple[str, ...], source: str | None, camera: str, tmp_path: Path) -> None:
    options = new_options(tmp_path / "croupier.toml", names, source, [], None)
    assert options["camera", "source"] == camera
    assert options.get(("seats", "names")) == (list(names) or None)


@pytest.mark.parametrize(
    ("system", "variables", "folder"),
    [
        pytest.param("linux", {"XDG_CONFIG_HOME": "/x"}, "/x/croupier", id="xdg"),
        pytest.param("linux", {"HOME": "/home/ann"}, "/home/ann/.config/croupier", id="linux"),
        pytest.param("darwin", {"HOME": "/Users/ann"}, "/Users/ann/Library/Application Support/Croupier", id="macos"),
        pytest.param("win32", {"APPDATA": "/c/ann/roaming"}, "/c/ann/roaming/Croupier", id="windows"),
    ],
)
def test_the_file_is_kept_in_the_users_own_folder(
    system: str, variables: dict[str, str], folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", system)
    for name in ("XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert user_folder() == Path(folder)


@pytest.mark.parametrize("command", ["host", "run"])
def test_windows_is_told_what_to_do(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert main.run([command]) == 2
    assert "run croupier in WSL, with a phone as camera" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("system", "display", "is_opened"),
    [("linux", "", False), ("linux", ":0", True), ("darwin", "", True), ("win32", "", True)],
)
def test_the_browser_is_opened_where_there_is_a_screen(
    system: str, display: str, is_opened: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr(webbrowser, "open", opened.append)
    greet("http://127.0.0.1:8300/login#code")
    assert opened == ["http://127.0.0.1:8300/login#code"] * is_opened


def test_the_page_offers_cameras_by_what_identifies_them_and_that_of_the_file_by_its_number(tmp_path: Path) -> None:
    by_id = [FoundCamera(f"usb:/dev/v4l/by-id/{name}", name, None, f"usb:{n}") for n, name in enumerate(("Cam", "Eye"))]
    path = tmp_path / "croupier.toml"
    assert [source for source, _name in choices(path, by_id)] == ["usb:/dev/v4l/by-id/Cam", "usb:/dev/v4l/by-id/Eye"]
    assert new_options(path, ("Ann", "Ben"), None, by_id, None)["camera", "source"] == "usb:/dev/v4l/by-id/Eye"
    path.write_text('[camera]\nsource = "usb:1"\n')
    assert choices(path, by_id) == [("usb:/dev/v4l/by-id/Cam", "Cam"), ("usb:1", "Eye")]
