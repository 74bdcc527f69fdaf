"""Commands that take pictures, with the table's own camera. A video stands for it."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from cardsight import model as models
from cardsight.calibrate import Calibration, Plane
from cardsight.enroll import DeckProfile
from cardsight.errors import NoCamera, NoFrame, NoMoreFrames
from cardsight.geometry import pyramid, warp_crop
from cardsight.sources import Frame
from croupier.cli import main
from croupier.ctrl_c import StopFlag, until_ctrl_c
from croupier.errors import BadCalibration
from croupier.pictures import video
from croupier.pictures.video import first_still_frame
from croupier_tally import sources
from croupier_tally.calibration import STEPS, step_by_step
from tests.vision.laid import Image, Lying, picture

SIZE = (640, 360)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the user's own, in which the program runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def film(path: Path, *shown: list[Lying]) -> None:
    """A video in which these cards lie, each lot for a second."""
    video = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, SIZE)
    for cards in shown:
        image = picture(cards, size=SIZE)
        for _ in range(10):
            video.write(image)
    video.release()


@pytest.mark.slow
def test_a_deck_is_learned_before_the_camera_card_by_card(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    film(place / "film.avi", *([Lying(face, 300 + 20 * n, 180, 8 * n)] for n, face in enumerate(("red-7", "blue-2"))))
    (place / "croupier.toml").write_text('[camera]\nsource = "film.avi"\n')
    assert main.run(["enroll", "camera", "--deck-profile", "ours.deck"]) == 1  # the other faces are missing
    told = capsys.readouterr()
    assert told.out.count("1 card, 1 learned") == 2
    assert "Ctrl-C" in told.err


@pytest.mark.slow
def test_the_cards_of_a_video_are_one_hand(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    film(place / "film.avi", *([Lying(face, 300 + 20 * n, 180, 8 * n)] for n, face in enumerate(("red-7", "blue-2"))))
    cv2.imwrite("hand.png", picture([Lying("wild", 300, 180)], size=SIZE))
    assert main.run(["tally", "Ann=film.avi", "Ben=hand.png"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[-3:] == [["Ann", "2", "cards", "9", "points"], ["Ben", "1", "card", "50", "points"],
                         ["Total:", "59", "points"]]  # fmt: skip
    assert main.run(["tally", "film.avi", "--cards", "2"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "Total: 9 points"
    assert main.run(["tally", "Ann=film.avi", "hand.png", "--cards", "3,1"]) == 1
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "Ann: 3 cards were expected; spread the hand and try again",
        "Total: no score",
    ]


@pytest.mark.parametrize("cards", ["7", "7,x", "7,0", "7,4,12", "7, 4", ""])
def test_a_number_is_given_for_each_hand(place: Path, capsys: pytest.CaptureFixture[str], cards: str) -> None:
    for name, face in (("anna.png", "wild"), ("ben.png", "red-7")):
        cv2.imwrite(name, picture([Lying(face, 300, 180)], size=SIZE))
    assert main.run(["tally", "anna.png", "ben.png", "--cards", cards]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert f"--cards {cards}: expected a number for each hand, as in --cards 7,7" in line


@pytest.mark.parametrize("options", [[], ["--again"]])
def test_the_same_picture_twice_counts_only_if_that_is_meant(
    place: Path, capsys: pytest.CaptureFixture[str], options: list[str]
) -> None:
    cv2.imwrite("hand.png", picture([Lying("wild", 300, 180)], size=SIZE))
    shutil.copy("hand.png", "copy.png")
    assert main.run(["tally", "Ann=hand.png", "Ben=copy.png", *options]) == (0 if options else 2)
    told = capsys.readouterr()
    assert ("100 points" in told.out) if options else ("hand.png and copy.png are the same" in told.err)


def test_cards_are_shown_in_white_light_where_the_calibration_knows_that_of_the_table(place: Path) -> None:
    taken = [Frame(0.0, GRAY[:1, :1])]
    assert [frame.image[0, 0].tolist() for frame in in_light(place, None, taken)] == [[90, 90, 90]]
    assert [frame.image[0, 0].tolist() for frame in in_light(place, (100.0, 150.0, 200.0), taken)] == [[180, 120, 90]]


def in_light(place: Path, white: tuple[float, float, float] | None, taken: list[Frame]) -> list[Frame]:
    """These frames, as they are read at a table where white looks so."""
    calibration = Calibration((640, 360), Plane(np.eye(3), 0.1), white=white)
    (place / "table.toml").write_text(calibration.to_toml(), encoding="utf-8")
    (place / "croupier.toml").write_text('[camera]\nsource = "usb:0"\ncalibration = "table.toml"\n')
    return list(sources.in_white_light(iter(taken)))


def test_a_deck_is_not_learned_under_a_light_that_nobody_can_look_up(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    film(place / "film.avi", [Lying("red-7", 300, 180)])
    (place / "croupier.toml").write_text('[camera]\nsource = "film.avi"\ncalibration = "gone.toml"\n')
    assert main.run(["enroll", "camera", "--deck-profile", "ours.deck"]) == 2
    assert "gone.toml: no such file; make it with croupier calibrate" in capsys.readouterr().err


@pytest.mark.slow
def test_each_card_of_a_video_is_read_once(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    film(place / "deck.avi", [Lying("red-7", 300, 180)], [Lying("blue-2", 320, 180, 8)])
    assert main.run(["read", "--json", "deck.avi"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [[card["card"] for card in line["cards"]] for line in told] == [["red-7"], ["blue-2"]]
    assert all(line["image"].startswith("deck.avi at ") for line in told)


@pytest.mark.parametrize("command", ["read", "audit", "enroll"])
def test_nothing_is_drawn_onto_a_video(command: str, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([command, "deck.avi", "--picture", "seen.png"]) == 2
    assert "leave it out for a video" in capsys.readouterr().err
    assert not list(place.iterdir())


@pytest.mark.slow
def test_the_table_is_calibrated_by_its_camera_once_nothing_moves(place: Path) -> None:
    spread = [Lying("red-7", 320, 180), Lying("blue-2", 120, 100, 20), Lying("wild", 520, 110, 80)]
    film(place / "film.avi", spread)
    (place / "croupier.toml").write_text('[camera]\nsource = "film.avi"\n')
    assert main.run(["calibrate", "camera"]) == 0
    assert (place / "table.toml").exists()


@pytest.mark.slow
@pytest.mark.parametrize("command", ["read", "audit", "enroll", "calibrate"])
def test_the_table_may_be_described_in_another_folder(
    command: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "club").mkdir()
    cards = [Lying("red-7", 320, 180), Lying("blue-2", 120, 100, 20), Lying("wild", 520, 110, 80)]
    film(place / "club/film.avi", cards)
    config = place / "club/croupier.toml"
    config.write_text(f'[camera]\nsource = "{place}/club/film.avi"\n[deck]\nprofile = "ours.deck"\n')
    learned = DeckProfile(models.load().reader)
    learned.learn("red-7", warp_crop(pyramid(picture(cards, size=SIZE)), cards[0].quad()))
    (place / "club/ours.deck").write_bytes(learned.to_bytes(models.fingerprint()))
    status = main.run([command, "camera", "--config", str(config)])
    told = capsys.readouterr()
    assert status in (0, 1), told.err
    assert ("table.toml written" if command == "calibrate" else "3 cards") in told.out
    if command == "enroll":
        assert f"{place / 'club/ours.deck'}: 3 of the" in told.out


@pytest.mark.parametrize("command", ["read", "tally", "audit", "enroll"])
def test_a_table_without_a_file_at_the_given_place_is_reported(
    command: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cv2.imwrite("hand.png", picture([Lying("red-7", 300, 180)], size=SIZE))
    assert main.run([command, "hand.png", "--config", "club/croupier.toml"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("croupier: club/croupier.toml: No such file")


@pytest.mark.parametrize("command", ["enroll", "calibrate"])
def test_without_a_camera_it_is_said_what_to_do(place: Path, command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run([command, "camera"]) == 2
    told = capsys.readouterr().err
    assert 'source = "usb:0"' in told
    assert "Traceback" not in told


class Camera:
    """Gives what it is told to, and otherwise nothing; its clock goes on with each question."""

    def __init__(self, *frames: Image | None, silent: bool = False) -> None:
        self._frames, self._silent, self._t = list(frames), silent, 0.0

    def frame(self) -> Frame:
        self._t += 1.0
        if self._silent or (self._frames and self._frames[0] is None):
            self._frames = self._frames[1:]
            raise NoFrame("nothing came")
        if not self._frames:
            raise NoMoreFrames("the end")
        image = self._frames.pop(0)
        assert image is not None
        return Frame(self._t, image)

    def now(self) -> float:
        return self._t

    def close(self) -> None:
        """Nothing to give back."""


GRAY: Image = np.full((36, 64, 3), 90, np.uint8)


def test_a_pause_of_the_camera_is_passed_over_and_silence_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(video, "PAUSE_S", 0.0)
    assert len(list(video.frames(Camera(GRAY, None, None, GRAY), StopFlag()))) == 2
    with pytest.raises(NoCamera, match="no picture for 5 s"):
        list(video.frames(Camera(silent=True), StopFlag()))


def test_ctrl_c_ends_showing_cards_and_breaks_nothing_off() -> None:
    before = signal.getsignal(signal.SIGINT)
    with until_ctrl_c() as ended:
        seen = 0
        for _ in video.frames(Camera(GRAY, GRAY, GRAY), ended):
            seen += 1
            os.kill(os.getpid(), signal.SIGINT)
    assert seen == 1
    assert signal.getsignal(signal.SIGINT) is before


def test_the_picture_taken_is_the_first_in_which_nothing_moves() -> None:
    moving: Iterator[Image] = iter(np.full_like(GRAY, 40 * n) for n in range(4))
    frames = [Frame(float(n), image) for n, image in enumerate([*moving, GRAY, GRAY, GRAY * 2])]
    taken = first_still_frame(frames)
    assert taken is not None
    assert taken.t == 5.0
    assert first_still_frame([]) is None


class Person:
    """Answers one question after the other; with None closes the input."""

    def __init__(self, *answers: str | None) -> None:
        self._answers = list(answers)

    def __call__(self, question: str) -> str:
        if (answer := self._answers.pop(0)) is None:
            raise EOFError
        return answer


@pytest.mark.parametrize(
    ("answers", "done", "status"),
    [
        pytest.param(["", "", "", "", "", ""], [(), ("tally",), ("seats",)], 0, id="all"),
        pytest.param(["", "", "s", "", ""], [(), ("seats",)], 0, id="one-passed-over"),
        pytest.param(["", "r", "", "", "q"], [(), ()], 0, id="first-done-again"),
        pytest.param(["s", "q"], [], 1, id="stopped-before-anything"),
        pytest.param([None], [], 1, id="input-closed-before-anything"),
        pytest.param(["", None], [()], 0, id="input-closed-when-the-first-is-done"),
        pytest.param(["", "", None], [()], 0, id="input-closed-before-the-second"),
    ],
)
def test_steps_are_done_passed_over_and_done_again(
    answers: list[str | None], done: list[tuple[str, ...]], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[tuple[str, ...]] = []

    def calibrate(parts: tuple[str, ...]) -> int:
        calls.append(parts)
        return 0

    assert step_by_step(calibrate, Person(*answers)) == status  # type: ignore[arg-type]
    assert calls == done
    assert STEPS[0][1] in capsys.readouterr().out


def test_each_step_draws_anew_what_it_found_but_over_no_file_that_was_there_before(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    film(place / "film.avi", [Lying("red-7", 320, 180), Lying("blue-2", 120, 100, 20), Lying("wild", 520, 110, 80)])
    (place / "croupier.toml").write_text('[camera]\nsource = "film.avi"\n')
    seen = place / "seen.png"
    drawn: list[bytes] = []

    def person(question: str) -> str:
        if seen.exists():
            drawn.append(seen.read_bytes())
        return "q" if len(drawn) > 2 else ""

    monkeypatch.setattr("croupier.ctrl_c.terminal", lambda: person)
    assert main.run(["calibrate", "--steps", "--picture", "seen.png"]) == 0
    by_itself, *_, with_tally = drawn
    assert by_itself != with_tally == seen.read_bytes()
    assert main.run(["calibrate", "--steps", "--picture", "seen.png"]) == 2
    assert "seen.png: this file already exists" in capsys.readouterr().err
    assert seen.read_bytes() == with_tally


def test_a_step_whose_picture_does_not_do_is_asked_for_again(capsys: pytest.CaptureFixture[str]) -> None:
    pictures = [BadCalibration("camera: no card seen"), None]

    def calibrate(_: object) -> int:
        if (fault := pictures.pop(0)) is not None:
            raise fault
        return 0

    assert step_by_step(calibrate, Person("", "", "", "q")) == 0
    assert "no card seen" in capsys.readouterr().out
