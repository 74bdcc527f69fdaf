"""`croupier enroll` and reading with what it learned, as people use them."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from cardsight import model as models
from cardsight.enroll import DeckProfile
from cardsight.enroll import profile as profiles
from cardsight.geometry import pyramid, warp_crop
from cardsight.sighting import Reading, Sighting
from cardsight.sources import Picture
from croupier.cli import main
from croupier.ctrl_c import Ask, terminal, until_ctrl_c
from croupier.errors import BadNames, CannotWrite
from croupier.pictures.table_reader import load_profile
from croupier_rules.deck_list import DeckList
from croupier_tally.enroll import Names, named_by_file, read_names, report
from tests.vision.laid import Lying, picture

FACES = ["red-7", "blue-0", "green-skip", "wild"]
DECK = DeckList.shipped("g7942")


def table(path: Path, faces: Sequence[str] = FACES, turn: float = 9.0, seed: int = 0) -> str:
    """A picture of these cards in a row."""
    cards = [Lying(face, 170 + 300 * n, 360, turn * (n + 1), 150) for n, face in enumerate(faces)]
    cv2.imwrite(str(path), picture(cards, seed=seed))
    return str(path)


def spoken(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[Any], str]:
    """Exit status, JSON lines and standard error of the program."""
    status = main.run([*arguments, "--json"])
    told = capsys.readouterr()
    return status, [json.loads(line) for line in told.out.splitlines()], told.err


@pytest.fixture
def deck(tmp_path: Path) -> str:
    return str(tmp_path / "ours.deck")


@pytest.mark.slow
def test_a_deck_is_learned_continued_and_read(tmp_path: Path, deck: str, capsys: pytest.CaptureFixture[str]) -> None:
    first = table(tmp_path / "first.png")
    status, (told, end), _ = spoken(capsys, "enroll", first, "--deck-profile", deck)
    assert [(card["card"], card["learned"]) for card in told["cards"]] == [(face, True) for face in FACES]
    assert (status, end["learned"]) == (1, dict.fromkeys(FACES, 1))
    assert "red-8" in end["missing"]
    assert not set(FACES) & set(end["missing"])

    more = table(tmp_path / "more.png", ["red-8", "red-7"])
    _, (_, end), _ = spoken(capsys, "enroll", more, "--deck-profile", deck)
    assert (end["learned"]["red-7"], end["learned"]["red-8"]) == (2, 1)

    status, (told,), _ = spoken(capsys, "read", table(tmp_path / "hand.png", turn=-20, seed=3), "--deck-profile", deck)
    assert (status, [card["card"] for card in told["cards"]]) == (0, FACES)
    status, told_twice, _ = spoken(capsys, "tally", first, "--deck-profile", deck)
    assert (status, told_twice[-1]) == (0, {"total": 7 + 0 + 20 + 50})


@pytest.mark.slow
def test_people_name_cards_by_file_and_by_list(tmp_path: Path, deck: str, capsys: pytest.CaptureFixture[str]) -> None:
    one = table(tmp_path / "wild-house.png", ["wild"])  # as if a wild were what that edition prints
    row = table(tmp_path / "row.png", ["red-7", "blue-0"])
    names = tmp_path / "names.txt"
    names.write_text("# two cards\nrow.png: red-7, blue-0\n")
    _, told, _ = spoken(capsys, "enroll", one, row, "--names", str(names), "--deck-profile", deck)
    assert told[-1]["learned"] == {"wild-house": 1, "red-7": 1, "blue-0": 1}
    assert told[0]["cards"][0]["read"] == "wild"


@pytest.mark.long
@pytest.mark.slow
def test_what_contradicts_is_not_learned_and_can_be_redone(
    tmp_path: Path, deck: str, capsys: pytest.CaptureFixture[str]
) -> None:
    spoken(capsys, "enroll", table(tmp_path / "deck.png"), "--deck-profile", deck)
    false = table(tmp_path / "red-3.png", ["red-7"], seed=2)
    status, (told, end), _ = spoken(capsys, "enroll", false, "--deck-profile", deck)
    assert status == 1
    assert "looks like red-7" in told["cards"][0]["why_not"]
    assert "red-3" not in end["learned"]
    _, (_, end), _ = spoken(capsys, "enroll", false, "--deck-profile", deck, "--forget", "red-7")
    assert (end["learned"].get("red-7"), end["learned"]["red-3"]) == (None, 1)

    names = tmp_path / "names.txt"
    names.write_text("deck.png: red-7 blue-0\n")
    _, (told, _), _ = spoken(
        capsys, "enroll", str(tmp_path / "deck.png"), "--names", str(names), "--deck-profile", deck
    )
    assert {card["why_not"] for card in told["cards"]} == {
        "named: 2, seen: 4; take the picture again, or name all the cards"
    }


@pytest.mark.slow
def test_the_deck_of_croupier_toml_is_the_one_that_is_read_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "croupier.toml").write_text('[deck]\nprofile = "theirs.deck"\n')
    hand = table(tmp_path / "hand.png", ["red-7"])
    assert main.run(["read", hand]) == 2
    assert "theirs.deck: no such file; make it with croupier enroll" in capsys.readouterr().err
    spoken(capsys, "enroll", hand)
    assert (tmp_path / "theirs.deck").exists()
    assert spoken(capsys, "read", hand)[0] == 0
    (tmp_path / "croupier.toml").write_text("[deck]\nprofile = 3\n")
    assert main.run(["read", hand]) == 2
    assert "croupier.toml:2: [deck] profile: 3: expected the name of a file" in capsys.readouterr().err


@pytest.mark.slow
def test_people_are_asked_only_where_the_reader_is_not_sure(tmp_path: Path) -> None:
    from croupier.pictures.readings import Seen
    from croupier_tally.enroll import Enrollment

    cards = [Lying("red-6", 200, 360, 0, 150), Lying("blue-1", 600, 360, 0, 150)]
    quads = [tuple((float(x), float(y)) for x, y in card.quad()) for card in cards]
    doubtful = Sighting("?", 0.6, quads[0], None, (("red-9", 0.6), ("red-6", 0.3)))  # type: ignore[arg-type]
    sure = Sighting("blue-1", 0.99, quads[1])  # type: ignore[arg-type]
    asked, answers = [], iter(["red-66", " RED-6 "])

    def ask(question: str) -> str:
        asked.append(question)
        return next(answers)

    enrolling = Enrollment(DeckProfile(models.load().reader), Names(DECK), ask)
    taken = enrolling.take(Seen("a.png", picture(cards), Reading((1280, 720), (doubtful, sure))))
    assert [card.face for card in taken] == ["red-6", "blue-1"]
    assert ["red-9" in asked[0], "red-66" in asked[1], len(asked)] == [True, True, 2]


@pytest.mark.slow
def test_a_card_of_a_face_that_the_reader_does_not_know_is_learned_whole() -> None:
    """A part of its print has the shape of a card, too; on white paper its border is hard to see."""
    from croupier.pictures.readings import Seen
    from croupier_tally.enroll import cards_in

    card = Lying("wild-draw6", 640, 360, 12, 200, "classic")
    image = picture([card], np.full((720, 1280, 3), 246, np.uint8))
    (seen,) = cards_in(
        Seen("wild-draw6.png", image, Reading((1280, 720), (sighting("?", 0.6, card),))), ("wild-draw6",)
    )
    assert np.abs(np.array(seen.corners_px) - card.quad()).max() < 1


class Shown:
    """Pictures of two cards each, one above the other; and their reader, which is not sure of the lower one."""

    def __init__(self, folder: Path, *pairs: tuple[str, str]) -> None:
        self._pairs: dict[int, list[Lying]] = {}
        self.images = []
        for n, (sure, doubtful) in enumerate(pairs):
            width = 400 + n
            self._pairs[width] = [Lying(sure, 200, 150, 5.0 * n, 140), Lying(doubtful, 200, 420, -4.0 * n, 140)]
            self.images.append(str(folder / f"{n}.png"))
            cv2.imwrite(self.images[-1], picture(self._pairs[width], size=(width, 600), seed=n))

    def read(self, image: Picture) -> Reading:
        sure, doubtful = self._pairs[image.shape[1]]
        cards = (sighting(sure.face, 0.99, sure), sighting("?", 0.6, doubtful, ((doubtful.face, 0.6), ("wild", 0.3))))
        return Reading((image.shape[1], image.shape[0]), cards)


def sighting(face: str, sure: float, card: Lying, candidates: tuple[tuple[str, float], ...] = ()) -> Sighting:
    a, b, c, d = ((float(x), float(y)) for x, y in card.quad())
    return Sighting(face, sure, (a, b, c, d), None, candidates)


PAIRS = (("red-7", "blue-0"), ("green-skip", "wild"), ("yellow-2", "red-draw2"))


def learn(shown: Shown, path: Path, ask: Ask | None = None, drawing: str | None = None) -> int:
    empty = DeckProfile(models.load().reader)
    return report(shown.images, shown.read, empty, path, DECK, Names(DECK), ask=ask, picture=drawing)


def kept(path: Path) -> set[str]:
    return set(load_profile(path, models.load()).faces)


@pytest.mark.parametrize("end", [EOFError, KeyboardInterrupt], ids=["ctrl-d", "ctrl-c"])
def test_at_a_question_people_may_have_had_enough_and_keep_what_was_learned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], end: type[BaseException]
) -> None:
    questions: list[str] = []

    def ask(question: str) -> str:
        questions.append(question)
        if len(questions) == 2:
            raise end
        return ""

    path = tmp_path / "ours.deck"
    assert learn(Shown(tmp_path, *PAIRS), path, ask) == 1
    assert kept(path) == {"red-7", "blue-0", "green-skip", "yellow-2"}
    assert len(questions) == 2
    assert f"{path}: 4 of the" in capsys.readouterr().out


def test_ctrl_c_between_questions_keeps_what_was_learned_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown, path = Shown(tmp_path, *PAIRS), tmp_path / "ours.deck"
    readings = iter([shown.read, shown.read])

    def read(image: Picture) -> Reading:
        if (reading := next(readings, None)) is None:
            raise KeyboardInterrupt
        return reading(image)

    with pytest.raises(KeyboardInterrupt):
        report(shown.images, read, DeckProfile(models.load().reader), path, DECK, Names(DECK), picture=None)
    assert kept(path) == {"red-7", "green-skip"}
    assert f"{path}: 2 of the" in capsys.readouterr().out


def test_look_alikes_are_told_at_the_end_with_a_remedy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile, path = DeckProfile(models.load().reader), tmp_path / "ours.deck"
    shown = (Lying("red-7", 300, 300, 5, 140), Lying("wild", 300, 300, 5, 140), Lying("wild", 300, 300, 40, 140))
    for face, card in zip(("red-7", "wild", "wild-dark"), shown, strict=True):
        profile.learn(face, warp_crop(pyramid(picture([card], size=(600, 600))), card.quad()))

    def end(*, as_json: bool) -> str:
        assert report([], Shown(tmp_path).read, profile, path, DECK, Names(DECK), as_json=as_json) == 1
        return capsys.readouterr().out

    told = end(as_json=False)
    assert "wild and wild-dark look alike to the camera (similarity 100 %)" in told
    assert "with --forget wild --forget wild-dark." in told
    assert json.loads(end(as_json=True))["look_alike"] == [{"cards": ["wild", "wild-dark"], "similarity": 1.0}]
    profile.forget("wild-dark")
    assert "look alike" not in end(as_json=False)
    assert json.loads(end(as_json=True))["look_alike"] == []


@pytest.mark.parametrize("kind", ["no picture", "no card"])
def test_a_profile_without_cards_is_not_written(
    kind: str, tmp_path: Path, deck: str, capsys: pytest.CaptureFixture[str]
) -> None:
    image = tmp_path / "table.png"
    if kind == "no picture":
        image.write_text("hello")
    else:
        cv2.imwrite(str(image), picture([], size=(600, 400)))
    status, lines, told = spoken(capsys, "enroll", str(image), "--deck-profile", deck)
    assert (status, len(lines)) == (2, 1)
    assert told.splitlines()[-1].endswith(
        f"{deck}: not written, since no card was learned; give pictures that show whole cards, and name these cards"
    )
    assert not Path(deck).exists()


def test_the_last_face_of_a_profile_can_be_forgotten(
    tmp_path: Path, deck: str, capsys: pytest.CaptureFixture[str]
) -> None:
    learn(Shown(tmp_path, ("red-7", "blue-0")), Path(deck))
    capsys.readouterr()
    status, (end,), _ = spoken(capsys, "enroll", "--forget", "red-7", "--deck-profile", deck)
    assert (status, end["learned"], kept(Path(deck))) == (1, {}, set())


def test_what_was_broken_off_before_anything_was_learned_makes_no_file(tmp_path: Path) -> None:
    def read(_: Picture) -> Reading:
        raise KeyboardInterrupt

    path = tmp_path / "ours.deck"
    with pytest.raises(KeyboardInterrupt):
        report(Shown(tmp_path, *PAIRS).images, read, DeckProfile(models.load().reader), path, DECK, Names(DECK))
    assert not path.exists()


def test_a_drawing_that_cannot_be_made_costs_nothing_of_what_was_learned(tmp_path: Path) -> None:
    shown, path = Shown(tmp_path, *PAIRS), tmp_path / "ours.deck"

    def ask(_: str) -> str:
        (tmp_path / "seen-1.png").touch()  # meanwhile somebody else made one of that name
        return ""

    with pytest.raises(CannotWrite, match=r"seen-1\.png: this file already exists"):
        learn(shown, path, ask, str(tmp_path / "seen.png"))
    assert len(kept(path)) == 6


def test_a_picture_named_twice_is_drawn_on_twice(tmp_path: Path) -> None:
    shown = Shown(tmp_path, PAIRS[0])
    shown.images *= 2
    learn(shown, tmp_path / "ours.deck", drawing=str(tmp_path / "seen.png"))
    assert sorted(path.name for path in tmp_path.glob("seen*")) == ["seen-1.png", "seen-2.png"]


def test_ctrl_c_at_a_question_ends_it_and_the_showing_before_the_camera(monkeypatch: pytest.MonkeyPatch) -> None:
    def waits(_: str) -> str:
        os.kill(os.getpid(), signal.SIGINT)
        return "nobody was interrupted"

    monkeypatch.setattr("builtins.input", waits)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    ask = terminal()
    assert ask is not None
    with until_ctrl_c() as ended:
        with pytest.raises(KeyboardInterrupt):
            ask("which is it?")
        assert ended.is_set
        assert signal.getsignal(signal.SIGINT) is ended


@pytest.mark.parametrize("command", ["read", "audit", "enroll"])
def test_model_and_profile_are_loaded_once(
    command: str, tmp_path: Path, deck: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(deck).write_bytes(DeckProfile(models.load().reader).to_bytes(models.fingerprint()))
    image = table(tmp_path / "hand.png", ["red-7"])
    loaded: list[str] = []
    for part in (models, profiles):

        def load(*arguments: Any, _load: Any = part.load, _name: str = part.__name__, **options: Any) -> Any:
            loaded.append(_name)
            return _load(*arguments, **options)

        monkeypatch.setattr(part, "load", load)
    assert main.run([command, image, "--deck-profile", deck]) in (0, 1)
    assert sorted(loaded) == ["cardsight.enroll.profile", "cardsight.model"]


@pytest.mark.parametrize("command", ["read", "tally", "audit", "enroll"])
def test_a_model_that_is_missing_is_reported_in_one_line(
    command: str, tmp_path: Path, deck: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def load() -> None:
        raise FileNotFoundError(2, "No such file or directory", "reader.onnx.gz")

    monkeypatch.setattr(models, "load", load)
    assert main.run([command, table(tmp_path / "hand.png", ["red-7"]), "--deck-profile", deck]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "reader.onnx.gz" in line


@pytest.mark.parametrize(
    ("name", "face"),
    [
        ("red-7.jpg", "red-7"),
        ("deck/Red-7_2.JPG", "red-7"),
        ("red-7 (3).png", "red-7"),
        ("wild-draw4.png", "wild-draw4"),
        ("back_1.jpg", "back"),
        ("red-71.jpg", None),
        ("IMG_0042.jpg", None),
        ("-", None),
    ],
)
def test_a_file_may_be_named_for_its_card(name: str, face: str | None) -> None:
    assert named_by_file(name, DECK) == (() if face is None else (face,))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a.jpg red-7", "line 1: expected a picture and its cards"),
        ("a.jpg: red-7\n\nb.jpg: red-77 blue-1", "line 3: unknown card 'red-77'"),
        ("a.jpg:", "line 1: expected a picture and its cards"),
    ],
)
def test_a_list_that_cannot_be_is_reported_by_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "names.txt"
    path.write_text(text)
    with pytest.raises(BadNames, match=said):
        read_names(str(path), DECK)
    with pytest.raises(BadNames, match="No such file"):
        read_names(str(tmp_path / "none.txt"), DECK)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["enroll"], "no pictures"),
        (["enroll", "a.jpg", "--forget", "red-77"], "unknown card 'red-77'"),
        (["enroll", "a.jpg", "--deck", "tarot"], "there is no tarot"),
        (["read", "a.jpg", "--deck-profile", "/nowhere/x.deck"], "no such file"),
        (["read", "a.jpg", "--deck-profile", "/"], "Is a directory; expected a file made by croupier enroll"),
        (
            ["enroll", "--renew", "--deck-profile", "/nowhere/x.deck"],
            "/nowhere/x.deck: no such file; make it with croupier enroll",
        ),
        (["enroll", "a.jpg", "--names", "/"], "--names /: Is a directory; expected a list"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(arguments) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line
