"""`croupier setup` in the terminal."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from cardsight.sources.found import FoundCamera
from croupier.cli.main import run
from croupier.config import load
from croupier.link.seen import Board
from croupier.setup.page import find_fault
from croupier.setup.parts import Parts
from croupier.setup.terminal import set_up
from croupier_extras.voice.plugin import VoiceSection
from croupier_rules.rules import names
from tests.longer import some
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
    typed(monkeypatch, "none", "", "fast", "15")
    assert run(["setup", "camera"]) == 0
    told = capsys.readouterr().out
    assert "expected a number, 1 to 120" in told
    assert "This table has no camera." in told
    assert load(here / "croupier.toml").camera.fps == 15


def test_what_is_dropped_is_not_written(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    typed(monkeypatch, "gone.mp4", "", "", "d")
    assert run(["setup", "camera"]) == 1
    assert not (here / "croupier.toml").exists()


def test_who_stops_typing_keeps_what_was_kept(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed(monkeypatch, "none", "", "", "pi")
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
    typed(monkeypatch, "", "", "", "", "", "", "0.0.0.0")
    assert run(["setup", "ruleset"]) == 0
    told = capsys.readouterr().out
    assert "Who can open its page?" in told
    assert "The page is open to your network." in told
    assert load(here / "croupier.toml").page.address == "0.0.0.0"


@pytest.mark.long
@pytest.mark.slow
def test_the_camera_looks_and_finds_the_table(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "seen").mkdir()
    for n in range(3):
        view(here / "seen" / f"{n}.png", *SPREAD)
    (here / "croupier.toml").write_text('[camera]\nsource = "seen"\nsize = "1280x720"\n')
    typed(monkeypatch, "", "", "", "n")
    assert run(["setup", "table", "deck"]) == 0
    told = capsys.readouterr().out
    assert "table.toml has been saved." in told
    assert (here / "setup-seen.png").stat().st_size > 10_000
    assert load(here / "croupier.toml").camera.calibration == here / "table.toml"
    assert (here / "table.toml").exists()


@pytest.mark.slow
@pytest.mark.parametrize("end", some(["d", None], 2))
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


class Person:
    """Answers questions: ``typed`` where a prompt follows these words, Enter otherwise. ``asked``: all prompts."""

    def __init__(self, capsys: pytest.CaptureFixture[str], typed: dict[str, str]) -> None:
        self._capsys, self._typed = capsys, typed
        self.told, self.answers = "", 0

    def __call__(self, prompt: str) -> str:
        lately = self._capsys.readouterr().out + prompt
        self.told += lately
        self.answers += 1
        if self.answers > 30:
            raise EOFError
        return next((line for words, line in self._typed.items() if words in lately), "")


VOICE = frozenset({("voice", "on")})
LAPTOP = Parts(
    (FoundCamera("seen", "HD Webcam", (1280, 720)), FoundCamera("usb:1", "Capture", None)),
    (),
    VOICE,
)
"""A webcam that shows the pictures of a folder, and the voice."""


@pytest.mark.slow
def test_a_laptop_with_a_webcam_is_a_table_after_six_answers(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "seen").mkdir()
    for n in range(3):
        view(here / "seen" / f"{n}.png", *SPREAD)
    person = Person(capsys, {"Who plays": "Ann, Ben", "aloud": "y", "open its page": "1"})
    assert set_up(here / "croupier.toml", (), person, lambda: LAPTOP) == 0
    assert person.answers <= 6
    assert "1  seen, HD Webcam, 1280x720" in person.told
    assert "UNO instruction sheet G7942, English" in person.told
    for strange in ("pin", "Pico", "ring", "shoe"):
        assert not re.search(rf"\b{strange}", person.told), strange
    config = load(here / "croupier.toml")
    assert (config.camera.source, config.camera.size, config.seats.names) == ("seen", "1280x720", ("Ann", "Ben"))
    voice = config.plugin_sections["voice"]
    assert isinstance(voice, VoiceSection)
    assert (voice.on, config.page.address, config.ruleset().name) == (True, "0.0.0.0", "g7942-en")
    assert find_fault(here / "croupier.toml") == ""

    again = Person(capsys, {"take a picture": "n"})
    before = (here / "croupier.toml").read_text()
    assert set_up(here / "croupier.toml", (), again, lambda: LAPTOP) == 0
    assert (here / "croupier.toml").read_text() == before, "Enter keeps what was answered"


@pytest.mark.parametrize(
    ("found", "asked", "unasked"),
    [
        pytest.param(Parts(), [], ["UNO buttons", "shoe", "ring", "picture", "aloud"], id="nothing"),
        pytest.param(Parts((), ("pico",)), ["UNO buttons", "shoe", "ring"], ["pin"], id="a-pico"),
        pytest.param(
            Parts((), ("pi",), VOICE),
            ["UNO buttons", "shoe", "ring", "aloud"],
            ["Pico"],
            id="a-pi",
        ),
    ],
)
def test_only_what_is_there_is_asked(
    here: Path, capsys: pytest.CaptureFixture[str], found: Parts, asked: list[str], unasked: list[str]
) -> None:
    person = Person(capsys, {})
    set_up(here / "croupier.toml", (), person, lambda: found)
    for words in (*asked, "Which camera?", "Who plays?", "Which rule sheet", "open its page"):
        assert words in person.told
    for words in unasked:
        assert words not in person.told


def test_an_answer_is_a_number_of_the_list_or_the_first_letters_and_checked(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = iter(["9", "2", "Ann, Ben", "99", "kitchen", "UNO-Spielanl", "phones"])
    set_up(here / "croupier.toml", (), lambda _: next(lines), lambda: Parts((FoundCamera("usb:0", "", None),)))
    told = capsys.readouterr().out
    assert "9: expected a number from the list, 1 to 2" in told
    assert f"99: expected a number from the list, 1 to {len(names())}" in told
    config = load(here / "croupier.toml")
    assert (config.camera.source, config.ruleset().name) == ("none", "g7942-de")
    assert config.page.address == "0.0.0.0"
    assert "kitchen: expected a number from the list" in told


@pytest.mark.parametrize(
    ("arguments", "text", "complaint"),
    [
        (["setup", "kitchen"], "", "there is no kitchen; expected one of camera, table"),
        (["setup"], "[camera]\nsoruce = 3\n", "croupier.toml:2: [camera] soruce: unknown option"),
    ],
)
def test_bad_input_is_reported_in_a_line(
    here: Path, arguments: list[str], text: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if text:
        (here / "croupier.toml").write_text(text)
    assert run(arguments) == 2
    assert complaint in capsys.readouterr().err


CAMERAS = (
    FoundCamera("usb:/dev/v4l/by-id/usb-Cam_A1-video-index0", "Cam", (1280, 720), "usb:0"),
    FoundCamera("usb:/dev/v4l/by-id/usb-HD_Webcam-video-index0", "HD Webcam", (1920, 1080), "usb:2"),
)


@pytest.mark.parametrize(
    ("before", "answer", "kept"),
    [
        pytest.param("", "2", 1, id="by-its-place-in-the-list"),
        pytest.param("", "usb:2", 1, id="typed-as-a-number"),
        pytest.param('[camera]\nsource = "usb:2"\n', "", 1, id="the-number-in-the-file"),
        pytest.param("", "", 0, id="the-first-by-default"),
    ],
)
def test_setup_keeps_the_camera_that_a_person_chose_not_its_number(
    here: Path, capsys: pytest.CaptureFixture[str], before: str, answer: str, kept: int
) -> None:
    (here / "croupier.toml").write_text(before)
    person = Person(capsys, {"Which camera?": answer, "Keep it": "k"})
    set_up(here / "croupier.toml", ("camera",), person, lambda: Parts(CAMERAS))
    camera = load(here / "croupier.toml").camera
    assert (camera.source, camera.size) == (CAMERAS[kept].source, CAMERAS[kept].size_text)
    assert "usb:2, HD Webcam, 1920x1080" in person.told


TWO_PICOS = (Board("/dev/ttyACM0", "E661A", "Board"), Board("/dev/ttyACM1", "E661B", "Board"))


@pytest.mark.parametrize(
    ("boards", "answer", "port", "is_asked"),
    [
        pytest.param(TWO_PICOS[:1], "", "usb:E661A", False, id="the-only-one"),
        pytest.param(TWO_PICOS, "2", "usb:E661B", True, id="one-of-two"),
    ],
)
def test_setup_keeps_the_serial_number_of_the_pico(
    here: Path, capsys: pytest.CaptureFixture[str], boards: tuple[Board, ...], answer: str, port: str, is_asked: bool
) -> None:
    person = Person(capsys, {"Which port is the Pico": answer, "What is the shoe connected to?": "pico", "(k)": "k"})
    set_up(here / "croupier.toml", (), person, lambda: Parts((), ("pico",), boards=boards))
    assert load(here / "croupier.toml").pico.port == port
    assert person.told.count("Which port is the Pico connected to?") == is_asked
    assert ('2  "Board" usb:E661B (/dev/ttyACM1)' in person.told) == is_asked
