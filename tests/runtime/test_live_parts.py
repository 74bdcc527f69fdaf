"""The parts of a running table: opened, kept open, told of; and what is typed in its terminal."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Event
from typing import Any

import cv2
import numpy as np
import pytest
from rich.console import Console

from cardsight.errors import NoCamera, NoFrame, NoMoreFrames
from cardsight.geometry import Image
from cardsight.sources import Frame, found
from croupier import alarms
from croupier.alarms import Alarm
from croupier.commands import ChooseDealer, CountFedCards, LayCard, NameCard
from croupier.config import read
from croupier.devices.protocols import Ask, Say
from croupier.errors import BadCalibration, BadConfig
from croupier.events import CommandGiven, Press
from croupier.i18n import speaking
from croupier.journal import Journal
from croupier.pictures import table_reader
from croupier.pictures.live_camera import LiveCamera
from croupier.retry import RetryPolicy
from croupier.runtime.camera import Readers, TableWatch
from croupier.runtime.camera_check import colors_put_right
from croupier.runtime.devices import close_readers_of, open_camera, open_source, reader_of, zones_of
from croupier.runtime.inbox import Inbox
from croupier.runtime.session import begin
from croupier.runtime.table_camera import PacedFile, Zones
from croupier.runtime.terminal import CommandReader, QuietConsole, Terminal
from croupier.runtime.typed import TypedWords
from croupier_rules.cards import DECKS
from croupier_rules.referee import Explainer, Header
from croupier_rules.referee.corrections import SetTo
from croupier_rules.rules import load
from tests.runtime.live import TWO
from tests.vision.laid import fan, picture
from tests.vision.usb_machine import UsbMachine

IMAGE = np.zeros((4, 4, 3), np.uint8)


class Script:
    """A source of frames that does what a test says; an error is raised."""

    def __init__(self) -> None:
        self.coming: SimpleQueue[Frame | OSError] = SimpleQueue()
        self.is_closed = False

    def frame(self) -> Frame:
        one = self.coming.get()
        if isinstance(one, OSError):
            raise one
        return one

    def now(self) -> float:
        return 0.0

    def close(self) -> None:
        self.is_closed = True


def test_the_camera_gives_its_newest_picture_once_and_rings_for_it() -> None:
    script, inbox = Script(), Inbox()
    camera = LiveCamera(lambda: script, lambda: 7.0, inbox.wake)
    camera.start()
    script.coming.put(Frame(1.0, IMAGE))
    inbox.wait(5)
    assert camera.frame().t == 1.0
    with pytest.raises(NoFrame):
        camera.frame()
    script.coming.put(NoMoreFrames("the end"))
    inbox.wait(5)
    assert camera.is_over
    assert camera.now() == 7.0
    camera.close()
    assert script.is_closed


def test_a_camera_that_cannot_be_opened_is_tried_again_until_it_can() -> None:
    script, tries, inbox = Script(), iter([NoCamera("none"), NoCamera("none")]), Inbox()
    may_open = Event()

    def opened() -> Script:
        for wrong in tries:
            raise wrong
        may_open.wait(5)
        return script

    camera = LiveCamera(opened, lambda: 0.0, inbox.wake, policy=RetryPolicy(0.0, 0.0))
    camera.start()
    inbox.wait(5)
    assert camera.trouble == "none"
    may_open.set()
    script.coming.put(Frame(1.0, IMAGE))
    while camera.trouble:
        inbox.wait(5)
    assert camera.frame().t == 1.0
    script.coming.put(NoFrame("unplugged"))
    inbox.wait(5)
    assert "unplugged" in camera.trouble
    script.coming.put(NoMoreFrames("the end"))
    camera.close()


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        pytest.param("/dev/null", "this is a device, no file; expected usb:/dev/null for a camera", id="a-device"),
        pytest.param("0", "no such file; expected usb:0 for a camera on USB", id="a-number"),
        pytest.param(
            "photo.jpg", "this is a picture, no camera; expected a camera, a video, or a folder", id="a-picture"
        ),
    ],
)
def test_what_is_no_camera_and_no_film_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, complaint: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("photo.jpg").write_bytes(b"\xff\xd8")
    with pytest.raises(NoCamera) as error:
        open_source(read(f'[camera]\nsource = "{source}"\n'), lambda: 0.0)
    assert str(error.value) == f"{source}: {complaint}"


def test_a_camera_that_another_program_uses_says_which(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = UsbMachine(tmp_path)
    machine.plug("Cam", serial="A1")
    monkeypatch.setattr(found, "UsbFinder", partial(found.UsbFinder, root=tmp_path))
    monkeypatch.setattr(table_reader, "users_of", lambda path: f"cheese (PID 7) at {path.name}")
    with pytest.raises(NoCamera) as error:
        open_source(read('[camera]\nsource = "usb:0"\n'), lambda: 0.0)
    assert str(error.value) == (
        "camera usb:0 (Cam): cheese (PID 7) at video0 uses it; end that program, or name another camera"
    )


def test_only_a_file_may_show_the_same_picture_for_as_long_as_it_likes() -> None:
    for source, is_film in (("usb:0", False), ("http://phone/", False), ("film.mp4", True)):
        camera = open_camera(read(f'[camera]\nsource = "{source}"\n'), lambda: 0.0, lambda: None)
        for one in (camera, colors_put_right(camera)):
            assert getattr(one, "is_film", None) == is_film


def test_pictures_of_another_size_than_the_calibration_s_are_reported_and_not_read() -> None:
    script, inbox = Script(), Inbox()
    fit = Zones((0, 0, 2, 2), (0, 0, 4, 4), 2, 2)
    assert fit.misfit(4, 4) == ""
    assert fit.misfit(4, 3) == "its pictures are 4 x 3, and pile or show reach beyond that"
    measured = replace(fit, size=(8, 8))
    camera = LiveCamera(lambda: script, lambda: 0.0, inbox.wake)
    reader: Any = object()  # which reads nothing
    watch = TableWatch(camera, measured, Readers(reader, reader, lambda: reader), ())
    camera.start()
    script.coming.put(Frame(1.0, IMAGE))
    inbox.wait(5)
    watch.poll(inbox)
    assert watch.misfit == "its pictures are 4 x 4, the calibration was made of 8 x 8"
    assert watch.frame is None
    script.coming.put(NoMoreFrames("the end"))
    camera.close()


def test_frames_of_a_file_come_in_their_own_time() -> None:
    script, slept = Script(), list[float]()
    paced = PacedFile(script, lambda: 10.0, slept.append)
    script.coming.put(Frame(10.5, IMAGE))
    script.coming.put(Frame(9.0, IMAGE))
    assert [paced.frame().t, paced.frame().t] == [10.5, 9.0]
    assert slept == [0.5, 0.0]
    paced.close()
    assert script.is_closed


def test_a_folder_of_pictures_stands_for_a_camera(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "a.png"), np.full((64, 64, 3), 90, np.uint8))
    opened = open_source(read(f'[camera]\nsource = "{tmp_path}"\n'), lambda: 5.0)
    assert opened.frame().t == 5.0
    with pytest.raises(NoMoreFrames):
        opened.frame()


def test_where_the_piles_lie_is_said_or_calibrated(tmp_path: Path) -> None:
    assert zones_of(read('[camera]\nsource = "none"\n')) is None
    with pytest.raises(BadConfig, match="the place of the discard pile in the picture is missing"):
        zones_of(read(""))
    said = zones_of(read("[camera]\npile = [10, 20, 30, 40]\nshow = [0, 0, 9, 9]\ncard_px = 50\n"))
    assert said is not None
    assert (said.pile, said.show, said.pile_card_px) == ((10, 20, 40, 60), (0, 0, 9, 9), 50)
    with pytest.raises(BadCalibration, match="no such file; make it with croupier calibrate"):
        zones_of(read(f'[camera]\ncalibration = "{tmp_path}/table.toml"\n'))
    (tmp_path / "table.toml").write_text("version = 9\n")
    with pytest.raises(BadCalibration, match=r"table.toml: "):
        zones_of(read(f'[camera]\ncalibration = "{tmp_path}/table.toml"\n'))


def test_a_calibration_gives_the_zones_and_the_sides_of_the_seats(tmp_path: Path) -> None:
    from cardsight.calibrate import Calibration, Plane

    plane = Plane(np.array([[2.0, 0, 640], [0, 2.0, 360], [0, 0, 1]]), 0.1)
    made = Calibration((1280, 720), plane, tally=((-300, -170), (300, -170), (300, -100), (-300, -100)))
    (tmp_path / "table.toml").write_text(made.with_even_seats(4).to_toml(), encoding="utf-8")
    found = zones_of(read(f'[camera]\ncalibration = "{tmp_path}/table.toml"\n'))
    assert found is not None
    assert found.pile == (470, 190, 811, 531)
    assert found.show == (40, 20, 1241, 161)
    assert found.pile_card_px == pytest.approx(176, abs=1)
    assert found.seats_px[0] == pytest.approx((640, 1060), abs=1)


def test_the_reader_sees_the_table_in_white_light_where_the_calibration_measured_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cardsight.calibrate import Calibration, Plane
    from cardsight.sighting import Reading

    seen: list[list[int]] = []

    class Eye:
        def read(self, bgr: Image, /, faces: object = None, **how: object) -> Reading:
            seen.append(bgr[0, 0].tolist())
            return Reading((4, 4), ())

    monkeypatch.setattr("croupier.pictures.table_reader.reader_of", lambda profile: Eye())
    file = tmp_path / "table.toml"
    for white, kind in (((100.0, 150.0, 200.0), "usb:0"), (None, "usb:0"), ((100.0, 150.0, 200.0), "none")):
        found = Calibration((1280, 720), Plane(np.eye(3), 0.1), white=white)
        file.write_text(found.to_toml(), encoding="utf-8")
        config = read(f'[camera]\nsource = "{kind}"\ncalibration = "{file}"\n')
        reader_of(config).read(np.full((4, 4, 3), 60, np.uint8))
    assert seen == [[120, 80, 60], [60, 60, 60], [60, 60, 60]]


def test_a_close_look_needs_corners_that_are_known() -> None:
    image, deck = picture(fan(("blue-9", "red-7", "blue-2"), -32, 13, 158), "black"), DECKS["g7942"]
    known, own = close_readers_of(read("")), close_readers_of(read('[deck]\nprofile = "ours.deck"\n'))
    assert known is not None
    assert sorted(card.face for card in known(3).read(image, deck).cards) == ["blue-2", "blue-9", "red-7"]
    assert own is None


GERMAN = TypedWords(
    ("Ann", "Ben", "Cat", "Bob"),
    Explainer(Header(ruleset=load("g7942-en"), seats=("Ann", "Ben", "Cat", "Bob"), dealer=0), "de"),
)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("go", Press(t=1, seat=0, key="go")),
        ("draw 2", Press(t=1, seat=1, key="draw")),
        ("red", Press(t=1, seat=3, key="red")),
        ("card red-7", CommandGiven(t=1, command=NameCard("red-7"))),
        ("laid wild", CommandGiven(t=1, command=LayCard("wild"))),
        ("dealer 1", CommandGiven(t=1, command=ChooseDealer(0))),
        ("counted 3", CommandGiven(t=1, command=CountFedCards(3))),
        ("counted 7 6 0 7", CommandGiven(t=1, command=SetTo({"hands": {0: 7, 1: 6, 2: 0, 3: 7}}))),
        ("counted 7 6", None),
        ("draw Ben", Press(t=1, seat=1, key="draw")),
        ("uno c", Press(t=1, seat=2, key="uno")),
        ("dealer Cat", CommandGiven(t=1, command=ChooseDealer(2))),
        ("red 5", CommandGiven(t=1, command=LayCard("red-5"))),
        ("r7", CommandGiven(t=1, command=LayCard("red-7"))),
        ("+2 red", CommandGiven(t=1, command=LayCard("red-draw2"))),
        ("Rote 9", CommandGiven(t=1, command=LayCard("red-9"))),
        ("grün 9", CommandGiven(t=1, command=LayCard("green-9"))),
        ("+4", CommandGiven(t=1, command=LayCard("wild-draw4"))),
        ("rot", Press(t=1, seat=3, key="red")),
        ("red ann", Press(t=1, seat=0, key="red")),
        ("g 9", None),
        ("uno b", None),
        ("uno", None),
        ("draw", None),
        ("counted 99999999999", None),
        ("draw 5", None),
        ("draw 0", None),
        ("draw two", None),
        ("go home now", None),
        ("card red-77", None),
        ("card", None),
        ("dealer", None),
        ("fly", None),
        ("uno ²", None),
    ],
)
def test_what_is_typed_is_a_press_or_nothing(line: str, said: object) -> None:
    asked: Callable[[object], int | None] = lambda key: 3 if key == "red" else None  # noqa: E731
    assert GERMAN.parse(line, 1, asked) == said


@pytest.mark.parametrize(
    ("line", "near"),
    [
        ("drw ben", "draw"),
        ("uno b", "Bob"),
        ("leave zoe", "Bob"),
        ("uno", "Cat"),
        ("draw", "Ann"),
        ("g 9", "grüne 9"),
        ("card g9", "gelbe 9"),
        ("laid rote 77", "rote 7"),
        ("paus", "pause"),
    ],
)
def test_a_line_that_means_nothing_is_answered_with_what_is_near(line: str, near: str) -> None:
    assert near in GERMAN.nearest(line)


def test_what_was_understood_is_told_in_the_tables_language() -> None:
    told = {
        "r7": "rote 7", "draw be": "Ben: Eine Karte ziehen", "red c": "Cat: Rot", "pause": "Spiel anhalten",
        "dealer ann": "Geber: Ann", "counted 2": "2 Karten",
        "counted 7 1 0 7": "Ann: 7 Karten, Ben: 1 Karte, Cat: 0 Karten, Bob: 7 Karten",
    }  # fmt: skip
    with speaking("de"):
        for line, answer in told.items():
            meant = GERMAN.parse(line, 1, lambda key: None)
            assert meant is not None
            assert GERMAN.answer(meant) == answer


def test_the_colors_and_cards_that_may_be_typed_are_those_of_the_deck() -> None:
    mau_mau = Header(ruleset=load("mau-mau-en"), seats=("Ann", "Ben"), dealer=0)
    words = TypedWords(mau_mau.seats, Explainer(mau_mau, "de"))
    typed = {
        "herz": Press(t=1, seat=1, key="red"), "hearts ann": Press(t=1, seat=0, key="red"),
        "herz 7": CommandGiven(t=1, command=LayCard("hearts-7")),
        "ka9": CommandGiven(t=1, command=LayCard("diamonds-9")), "k9": None,
        "laid red-7": None, "+4": None,
    }  # fmt: skip
    for line, meant in typed.items():
        assert words.parse(line, 1, lambda key: 1) == meant
    assert words.answer(Press(t=1, seat=1, key="red")) == "Ben: Herz"
    assert words.face("red-discard-all") is GERMAN.face("red-discard-all") is None


class Seen:
    """What a terminal shows. ``typed``: takes a line."""

    def __init__(self, tmp_path: Path, *, has_camera: bool) -> None:
        self._out, self.inbox = io.StringIO(), Inbox()
        with Journal(tmp_path / "croupier.journal") as journal:
            session = begin(journal, read(TWO).header(), now=0.0)
        self.terminal = Terminal(Console(file=self._out, width=300)).begin(session)
        self.typed = CommandReader(
            io.StringIO(), lambda: 1.0, self.inbox, self.terminal, lambda key: None, lambda: has_camera
        ).take

    @property
    def lines(self) -> list[str]:
        return self._out.getvalue().splitlines()


@pytest.mark.parametrize("line", ["red 5", "r5", "laid red 5"])
@pytest.mark.parametrize("has_camera", [False, True])
def test_a_card_that_is_typed_is_laid_where_no_camera_sees_it(tmp_path: Path, line: str, has_camera: bool) -> None:
    table = Seen(tmp_path, has_camera=has_camera)
    table.typed(line)
    assert table.inbox.is_empty == has_camera
    assert ("To correct the top card, type card and its name." in table.lines[-1]) == has_camera
    table.typed("card red 5")
    assert not table.inbox.is_empty


def test_the_terminal_tells_why_nothing_was_changed(tmp_path: Path) -> None:
    table = Seen(tmp_path, has_camera=False)
    table.terminal.say(Say("Only the last report can be undone."))
    assert table.lines[-1] == "  ! Only the last report can be undone."


def test_the_terminal_tells_troubles_and_their_end_and_steers_nothing() -> None:
    out = io.StringIO()
    terminal = Terminal(Console(file=out, width=200))
    terminal.alarm(Alarm("pico", "gone", "no \x1b[31mport"))
    terminal.alarm(Alarm("pico", ""))
    terminal.alarm(Alarm("kettle", "cold"))
    terminal.ask(Ask("deal", n=7, seats=(0, 1)))
    assert out.getvalue().splitlines() == [
        "  ! The Pico is not answering: check its cable and power supply. (no \N{REPLACEMENT CHARACTER}[31mport)",
        "  ✓ The Pico is back.",
        "  ! Trouble with kettle: cold.",
        "  → Deal 7 cards to each seat, then type go.",
    ]


def test_where_nobody_reads_the_terminal_any_more_the_game_goes_on() -> None:
    unread, written = os.pipe()
    os.close(unread)
    with suppress(BrokenPipeError), open(written, "w", buffering=1) as out:  # what is left over at its end
        terminal = Terminal(QuietConsole(file=out))
        for wanted in (3, 5):
            terminal.ask(Ask("deal", n=wanted, seats=(0, 1)))
        is_played_on = True
    assert is_played_on


def test_every_trouble_of_camera_and_shoe_has_words_of_its_own() -> None:
    from typing import get_args

    from cardsight.track.events import Trouble
    from tablewire.messages import FAULTS

    others = {"stuck-button", "overflow", "in-doubt"}
    for device, kinds in (("camera", get_args(Trouble)), ("shoe", set(FAULTS) - others)):
        for kind in kinds:
            assert not alarms.problem_text(device, kind).startswith("Trouble with"), (device, kind)
