"""Scoring on the page: pictures of hands, cards set right, score sheets of several phones."""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import httpx
import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ViewportSize, expect
from playwright.sync_api import Page as Tab

from croupier.errors import BadScore
from croupier.files import put
from croupier.web import picture_reader
from croupier.web.accounts import Person
from croupier.web.picture_reader import MOST_BYTES, PictureReader, ReadHand
from croupier_tally.page.serving import serve_scores
from croupier_tally.score_sheet import ScoreSheet, new_sheet, read_sheet
from tests.journal.games import game_lines
from tests.longer import some
from tests.patience import PATIENCE_S
from tests.vision.laid import Lying, picture
from tests.web.chromium import needs_chromium
from tests.web.tables import page

BEN = ("red-7", "wild-draw4", "blue-skip")
PHONE: ViewportSize = {"width": 390, "height": 844}


def jpeg(*faces: str, lying: tuple[Lying, ...] = ()) -> bytes:
    cards = lying or tuple(Lying(face, 250 + 300 * n, 300, 5 * n, 190) for n, face in enumerate(faces))
    return cv2.imencode(".jpg", picture(cards, size=(1100, 620)))[1].tobytes()


def hand_with_a_cut_card(path: Path) -> Path:
    """A picture of Ben's hand, and of a blue 5 of which the edge cuts a part off."""
    cut = Lying("blue-5", 1142, 300, 0, 190)  # too little of it to tell its points
    path.write_bytes(jpeg(lying=(*(Lying(face, 200 + 250 * n, 250, 4 * n, 170) for n, face in enumerate(BEN)), cut)))
    return path


@pytest.fixture
def site(tmp_path: Path) -> Iterator[httpx.Client]:
    """The page of `croupier score page`, where everybody may write."""
    with (
        serve_scores(tmp_path, "127.0.0.1", 0, None) as up,
        httpx.Client(base_url=up.url, timeout=PATIENCE_S) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, Path]]:
    """Such a page with its folder, for tests that write no sheet: its reader of pictures starts once."""
    folder = tmp_path_factory.mktemp("reading")
    with serve_scores(folder, "127.0.0.1", 0, None) as up, httpx.Client(base_url=up.url, timeout=PATIENCE_S) as client:
        yield client, folder


def pick(tab: Tab, *faces: str) -> None:
    for face in faces:
        tab.locator(f"#keypad [value={face}]").tap()


def begin(site: httpx.Client, *names: str, **options: str) -> str:
    answer = site.post("score", data={f"name-{i}": name for i, name in enumerate(names)} | options)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"].removeprefix("/")


def version(site: httpx.Client, sheet: str) -> dict[str, str]:
    return {"version": site.get(f"{sheet}/version").text}


def totals(tmp_path: Path) -> list[int]:
    (file,) = tmp_path.glob("*.score")
    return list(read_sheet(file).story.at(None).position["scores"])


def hand(site: httpx.Client, sheet: str, seat: int, *cards: str, of_round: int = 1) -> httpx.Response:
    data = {f"card-{i:02}": card for i, card in enumerate(cards)} | {"round": str(of_round), "seat": str(seat)}
    return site.post(f"{sheet}/hand", data=data, headers={"hx-request": "true"})


def test_a_round_is_scored_by_several_phones(site: httpx.Client, tmp_path: Path) -> None:
    sheet = begin(site, "Ann", "Ben", "Cat")
    assert site.post(f"{sheet}/winner", data=version(site, sheet) | {"seat": "0"}).status_code == 303
    assert hand(site, sheet, 2, "red-1").status_code == 303
    shown = site.get(sheet).text
    assert "cards missing" in shown
    assert hand(site, sheet, 1, *BEN).status_code == 303
    assert totals(tmp_path) == [78, 0, 0]
    assert "Round 2" in site.get(sheet).text
    assert site.get(f"{sheet}/score.pdf").content.startswith(b"%PDF")
    assert "Ann 78" in site.get("score").text


def test_what_was_said_of_an_older_sheet_changes_nothing(site: httpx.Client, tmp_path: Path) -> None:
    sheet = begin(site, "Ann", "Ben")
    before = version(site, sheet)
    assert site.post(f"{sheet}/winner", data=before | {"seat": "0"}).status_code == 303
    assert site.post(f"{sheet}/winner", data=before | {"seat": "1"}).status_code == 409
    assert hand(site, sheet, 1, "red-1").status_code == 303
    late = hand(site, sheet, 1, "red-9")
    assert (late.status_code, late.text) == (
        409, "Somebody else changed this score sheet meanwhile. Check what is there now.",
    )  # fmt: skip
    assert site.post(f"{sheet}/undo", data=before).status_code == 409
    assert totals(tmp_path) == [1, 0]
    assert site.post(f"{sheet}/undo", data=version(site, sheet)).status_code == 303
    assert totals(tmp_path) == [0, 0]


def test_what_cannot_be_is_refused_with_the_reason(site: httpx.Client) -> None:
    sheet = begin(site, "Ann", "Ben")
    assert hand(site, sheet, 1, "red-1", of_round=0).status_code == 409
    site.post(f"{sheet}/winner", data=version(site, sheet) | {"seat": "0"})
    assert "the deck has 2" in hand(site, sheet, 1, "red-1", "red-1", "red-1").text
    assert hand(site, sheet, 1).text == "Ben holds no card; only who went out has none."
    assert hand(site, sheet, 1, "joker").status_code == 409
    assert hand(site, sheet, 9, "red-1").status_code == 409
    assert site.post("score", data={"name-0": "Ann"}).status_code == 422
    assert site.post("score", data={"name-0": "Ann", "name-1": "Ben", "ruleset": "official-el"}).status_code == 422


def test_the_rules_of_the_sheet_are_those_that_were_chosen(site: httpx.Client, tmp_path: Path) -> None:
    sheet = begin(site, "Ann", "Ben", "Cat", "Dan", partners="yes", target="50", scoring="winner")
    site.post(f"{sheet}/winner", data=version(site, sheet) | {"seat": "0"})
    hand(site, sheet, 1, "wild")
    hand(site, sheet, 3, "red-1")
    assert totals(tmp_path) == [51, 0]
    assert "Ann + Cat" in site.get(sheet).text
    assert "Points that end the game: 50" in site.get(sheet).text
    assert "Round 2" not in site.get(sheet).text


@pytest.mark.parametrize("name", ["none", "..%2fcroupier", "%2e%2e", "a" * 41, "x.score"])
def test_there_is_no_other_file_under_a_name(site: httpx.Client, tmp_path: Path, name: str) -> None:
    (tmp_path.parent / "croupier.score").write_text(new_sheet(("Ann", "Ben"), "g7942-en").text)
    assert site.get(f"score/{name}").status_code in (404, 422)


def test_a_damaged_sheet_is_told_and_the_others_are_shown(site: httpx.Client, tmp_path: Path) -> None:
    begin(site, "Ann", "Ben")
    (tmp_path / "broken.score").write_text("{")
    assert "broken.score, line 1: " in site.get("score").text
    assert site.get("score/broken").status_code == 404


def test_where_nobody_may_write_everybody_may_look(tmp_path: Path) -> None:
    with page(tmp_path, game_lines()) as up:
        player, visitor = up.client(Person("player", 1)), up.client()
        sheet = begin(player, "Ann", "Ben")
        assert "Ann" in visitor.get(sheet).text
        assert "Log in with your code to score." in visitor.get(sheet).text
        assert visitor.post("score/read", content=jpeg("red-7")).status_code == 403


@pytest.mark.slow
def test_a_picture_is_read_and_not_kept(reading: tuple[httpx.Client, Path]) -> None:
    site, folder = reading
    answer = site.post("score/read", content=jpeg(*BEN))
    assert [card["face"] for card in answer.json()["cards"]] == [*BEN]
    assert (answer.json()["size"], answer.json()["may_hide"]) == ([1100, 620], False)
    assert list(folder.iterdir()) == []


@pytest.mark.slow
def test_the_number_that_a_person_tells_is_part_of_the_reading(reading: tuple[httpx.Client, Path]) -> None:
    site, _folder = reading
    fanned = jpeg(lying=tuple(Lying(face, 300 + 110 * n, 300, 4 * n, 170) for n, face in enumerate(BEN)))
    assert site.post("score/read", content=fanned).json()["may_hide"] is True
    counted = site.post("score/read?number=3", content=fanned).json()
    assert ([card["face"] for card in counted["cards"]], counted["may_hide"]) == ([*BEN], False)
    assert site.post("score/read?number=0", content=fanned).status_code == 422


def stated(width: int, height: int) -> bytes:
    """A small JPEG whose header says another size."""
    data = bytearray(cv2.imencode(".jpg", np.zeros((16, 16, 3), np.uint8))[1].tobytes())
    place = data.index(b"\xff\xc0") + 5
    data[place : place + 4] = struct.pack(">HH", height, width)
    return bytes(data)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "status", "told"),
    some([
        pytest.param(b"\xff\xd8\xff" + b"x" * MOST_BYTES, 413, "too much", id="too-many-bytes"),
        pytest.param(b"GIF89a", 422, "a GIF picture", id="no-jpeg"),
        pytest.param(b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf", 422, "a picture in the format AVIF", id="avif"),
        pytest.param(b"<!doctype html><html>", 422, "a web page", id="web-page"),
        pytest.param(b"%PDF-1.4", 422, "a PDF document", id="document"),
        pytest.param(b"\0\0\0\x18ftypheic", 422, "HEIC pictures. Set the phone to JPEG", id="of-an-iphone"),
        pytest.param(b"", 422, "could not be read", id="nothing"),
        pytest.param(stated(20_000, 20_000), 422, "at most 8 megapixels", id="bomb"),
        pytest.param(jpeg("red-7")[:3000], 422, "damaged or cut off", id="cut-off"),
    ], 3),
)  # fmt: skip
def test_a_hostile_picture_is_refused_and_the_next_is_read(
    reading: tuple[httpx.Client, Path], content: bytes, status: int, told: str
) -> None:
    site, _folder = reading
    answer = site.post("score/read", content=content, headers={"hx-request": "true"})
    assert answer.status_code == status
    assert told in answer.text
    assert site.post("score/read", content=jpeg("red-7")).json()["cards"][0]["face"] == "red-7"


SMALL = b"\xff\xd8\xff" + bytes(20)
"""The pipe takes it whole, whatever its reader does."""


def reader_of(code: str) -> PictureReader:
    """A reader whose process runs this instead."""
    reader = PictureReader()
    reader._command = (sys.executable, "-c", code)
    return reader


def test_a_reader_that_hangs_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picture_reader, "ANSWER_S", 0.05)
    reader = reader_of("import time; time.sleep(1000)")
    with pytest.raises(BadScore, match="could not be read"):
        reader.read(SMALL)
    assert reader._process is None


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "junk",
        "[]",
        json.dumps({"size": [1, 1], "cards": [{"card": "<b>", "quad": [[0, 0]] * 4}], "face_down": 0}),
        json.dumps({"size": [1, 1], "cards": [{"card": "red-7", "quad": [[0, 0]] * 3}], "face_down": 0}),
        json.dumps({"size": [-1, 1], "cards": [], "face_down": 0}),
        '{"size": [1, 1], "cards": [{"card": "red-7", "quad": [[0, NaN], [0, 0], [0, 0], [0, 0]]}], "face_down": 0}',
    ],
)
def test_what_a_reader_answers_is_checked(answer: str) -> None:
    reader = reader_of(
        "from croupier.child_process import run\n"
        f"run(lambda channel, profile: channel.receive() and channel.send_bytes({answer.encode()!r}))"
    )
    with pytest.raises(BadScore, match="could not be read"):
        reader.read(SMALL)
    reader.close()


def test_what_was_put_right_in_a_picture_is_told() -> None:
    answer = json.dumps({"size": [9, 9], "cards": [], "face_down": 0, "camera": "mirrored", "mended": True})
    reader = reader_of(
        "from croupier.child_process import run\n"
        f"run(lambda channel, profile: channel.receive() and channel.send_bytes({answer.encode()!r}))"
    )
    assert reader.read(SMALL).camera == "The picture is mirrored. It was put right for this reading."
    reader.close()


@pytest.mark.long
@pytest.mark.slow
def test_the_memory_of_the_reader_is_bounded_and_the_next_picture_has_a_new_one() -> None:
    reader = reader_of(
        "from croupier.child_process import run\nfrom croupier.pictures import worker\n"
        "worker.MOST_DATA = 1 << 26\nrun(worker.read_pictures)"
    )
    with pytest.raises(BadScore):
        reader.read(jpeg("red-7"))
    reader._command = PictureReader()._command
    assert isinstance(reader.read(jpeg("red-7")), ReadHand)
    reader.close()


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_on_a_phone_a_hand_is_photographed_set_right_and_added(browser: Browser, tmp_path: Path) -> None:
    ben = hand_with_a_cut_card(tmp_path / "ben.jpg")
    folder = tmp_path / "sheets"
    folder.mkdir()
    with (
        serve_scores(folder, "127.0.0.1", 0, None) as up,
        browser.new_context(base_url=up.url, viewport=PHONE, has_touch=True, is_mobile=True) as context,
    ):
        tab = context.new_page()
        tab.goto("")
        for seat, name in enumerate(("Ágnes Szentgyörgyi-Wolkenstein", "Ben")):
            tab.locator(f"#name-{seat}").fill(name)
        tab.get_by_text("Begin the score sheet").tap()
        tab.get_by_role("button", name="Ágnes Szentgyörgyi-Wolkenstein: went out").tap()
        tab.locator("input.picture").first.set_input_files(ben)
        expect(tab.locator("#shot polygon").nth(3)).to_be_visible(timeout=PATIENCE_S * 1000)
        expect(tab.locator("#shot text")).to_contain_text(["7", "50", "20", "?"])
        expect(tab.locator("#sum")).to_have_text("?")
        expect(tab.locator("#add-hand")).to_be_disabled()
        assert not Axe().run(tab).response["violations"]
        for extra in range(tab.locator("#cards .unknown").count() - 1, 0, -1):  # what the edge made look like a card
            tab.locator("#cards .unknown").nth(extra).get_by_text("Which card is this?").tap()
            tab.locator("#no-card").tap()
        tab.locator("#cards .unknown").get_by_text("Which card is this?").tap()
        assert not Axe().run(tab).response["violations"]
        pick(tab, "blue-5")
        expect(tab.locator("#sum")).to_have_text("82")
        tab.locator("#add-hand").tap()
        expect(tab.locator(".scores tfoot")).to_contain_text("82")
        expect(tab.get_by_role("heading", name="Round 2")).to_be_visible()
        assert not Axe().run(tab).response["violations"]
    (file,) = folder.iterdir()
    assert ScoreSheet.parse(file.read_bytes(), "sheet").rounds[0].hands == {1: (*BEN, "blue-5")}


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_the_number_of_cards_is_asked_first_and_settles_what_is_no_card(browser: Browser, tmp_path: Path) -> None:
    ben = hand_with_a_cut_card(tmp_path / "ben.jpg")
    with (
        serve_scores(tmp_path, "127.0.0.1", 0, None) as up,
        browser.new_context(base_url=up.url, viewport=PHONE, has_touch=True, is_mobile=True) as context,
    ):
        tab = context.new_page()
        tab.goto("score")
        picture, question = tab.locator("input.picture").first, tab.locator("#question")
        picture.set_input_files(ben)
        expect(question).to_have_text("4 cards?", timeout=PATIENCE_S * 1000)
        expect(tab.locator("#sum")).to_have_text("?")
        expect(tab.locator("#counted")).to_be_hidden()
        expect(tab.locator("#hides")).to_be_hidden()
        assert not Axe().run(tab).response["violations"]
        tab.get_by_role("button", name="Another number").tap()
        tab.get_by_label("How many cards does the hand have?").fill("3")
        assert not Axe().run(tab).response["violations"]
        tab.get_by_role("button", name="Apply").tap()
        expect(tab.locator("#sum")).to_have_text("77")
        expect(tab.locator("#shot polygon")).to_have_count(3)
        expect(tab.locator("#size")).to_be_hidden()

        picture.set_input_files(ben)
        expect(question).to_have_text("4 cards?", timeout=PATIENCE_S * 1000)
        tab.get_by_role("button", name="Yes").tap()
        expect(tab.locator("#fewer")).to_contain_text("Known: 3 of 4.")
        expect(question).to_be_hidden()
        expect(tab.locator("#reading")).to_be_hidden(timeout=PATIENCE_S * 1000)
        tab.locator("#cards .unknown").first.get_by_text("Which card is this?").tap()
        pick(tab, "blue-5")
        expect(tab.locator("#sum")).to_have_text("82")
        expect(tab.locator("#cards li")).to_have_count(4)

        tab.locator("#add-card").tap()  # once it is answered, people may change their mind
        pick(tab, "red-9")
        expect(tab.locator("#sum")).to_have_text("91")


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_where_cards_overlap_the_sum_waits_for_their_number(browser: Browser, tmp_path: Path) -> None:
    ben = tmp_path / "ben.jpg"
    ben.write_bytes(jpeg(lying=tuple(Lying(face, 300 + 110 * n, 300, 4 * n, 170) for n, face in enumerate(BEN))))
    with (
        serve_scores(tmp_path, "127.0.0.1", 0, None) as up,
        browser.new_context(base_url=up.url, viewport=PHONE, has_touch=True, is_mobile=True) as context,
    ):
        tab = context.new_page()
        tab.goto("score")
        picture, asked = tab.locator("input.picture").first, list[str]()
        tab.on("request", lambda request: asked.append(request.url) if "score/read" in request.url else None)
        picture.set_input_files(ben)
        expect(tab.locator("#question")).to_have_text("3 cards?", timeout=PATIENCE_S * 1000)
        expect(tab.locator("#hides")).to_be_visible()
        expect(tab.locator("#sum")).to_have_text("?")
        assert not Axe().run(tab).response["violations"]
        tab.get_by_role("button", name="Yes").tap()
        expect(tab.locator("#sum")).to_have_text("77")
        expect(tab.locator("#reading")).to_be_hidden(timeout=PATIENCE_S * 1000)
        expect(tab.locator("#sum")).to_have_text("77")
        expect(tab.locator("#size")).to_be_hidden()
        assert [url.rpartition("?")[2] for url in asked] == ["", "number=3"], "it is read again with the answer"


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_a_hand_with_fewer_cards_than_were_read_has_no_sum(browser: Browser, tmp_path: Path) -> None:
    ben = hand_with_a_cut_card(tmp_path / "ben.jpg")
    with (
        serve_scores(tmp_path, "127.0.0.1", 0, None) as up,
        browser.new_context(base_url=up.url, viewport=PHONE, has_touch=True, is_mobile=True, locale="de") as context,
    ):
        tab = context.new_page()
        tab.goto("score")
        tab.locator("input.picture").first.set_input_files(ben)
        expect(tab.locator("#question")).to_have_text("4 Karten?", timeout=PATIENCE_S * 1000)
        tab.locator("#another").tap()
        tab.locator("#number").fill("2")
        tab.locator("#number").press("Enter")
        expect(tab.locator("#more")).to_contain_text("Bekannt: 3, aber die Hand hat 2.")
        expect(tab.locator("#sum")).to_have_text("?")
        tab.locator("#cards button").first.tap()
        tab.locator("#no-card").tap()
        expect(tab.locator("#sum")).to_have_text("70")
        expect(tab.locator("#cards li")).to_have_count(2)


@pytest.mark.long
@pytest.mark.slow
@needs_chromium
def test_cards_are_entered_without_a_picture_and_a_refusal_keeps_them(browser: Browser, tmp_path: Path) -> None:
    with (
        serve_scores(tmp_path, "127.0.0.1", 0, None) as up,
        httpx.Client(base_url=up.url, timeout=PATIENCE_S) as client,
        browser.new_context(base_url=up.url, viewport=PHONE, has_touch=True) as context,
    ):
        sheet = begin(client, "Ann", "Ben")
        client.post(f"{sheet}/winner", data=version(client, sheet) | {"seat": "0"})
        tab = context.new_page()
        tab.goto(sheet)
        tab.get_by_role("button", name="Ben: Enter the cards").tap()
        pick(tab, "red-7", "red-7", "red-7")
        expect(tab.locator("#typed output")).to_have_text("21")
        tab.locator("#enough").tap()
        expect(tab.locator("#sum")).to_have_text("21")
        expect(tab.locator("#notice")).to_contain_text("the deck has 2")
        tab.locator("#cards button").first.tap()
        tab.locator("#no-card").tap()
        tab.locator("#add-hand").tap()
        expect(tab.locator(".scores tfoot")).to_contain_text("14")


@needs_chromium
@pytest.mark.long
@pytest.mark.parametrize("path", ["score", "score/evening"])
def test_axe_finds_nothing_where_ten_play_and_on_a_dark_phone(browser: Browser, tmp_path: Path, path: str) -> None:
    many = new_sheet([f"Somebody {n}" for n in range(10)], "g7942-en")
    (tmp_path / "evening.score").write_text(many.with_winner(3).with_hand(0, ["red-7"]).text)
    with (
        serve_scores(tmp_path, "127.0.0.1", 0, None) as up,
        browser.new_context(base_url=up.url, viewport=PHONE, color_scheme="dark") as context,
    ):
        tab = context.new_page()
        tab.goto(path)
        found = Axe().run(tab)
        assert found.violations_count == 0, found.generate_report()
        assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.slow
@needs_chromium
def test_the_points_of_five_people_find_room_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    five = new_sheet(("Ágnes", "Bertalan", "Csilla", "Dorottya", "Erzsébet"), "g7942-en").with_winner(1)
    for seat in (0, 2, 3, 4):
        five = five.with_hand(seat, ["wild"])
    (tmp_path / "evening.score").write_text(five.text, encoding="utf-8")
    with (
        serve_scores(tmp_path, "127.0.0.1", 0, None) as up,
        browser.new_context(base_url=up.url, viewport=PHONE, locale="hu") as context,
    ):
        tab = context.new_page()
        tab.goto("score/evening")
        expect(tab.locator(".scores")).to_be_visible()
        tab.evaluate("document.fonts.ready.then(() => true)")
        assert tab.evaluate("[...document.querySelectorAll('.wide')].map((it) => it.scrollWidth - it.clientWidth)") == [
            0
        ]


def test_a_sheet_that_another_program_changed_is_shown_as_it_is_now(site: httpx.Client, tmp_path: Path) -> None:
    sheet = begin(site, "Ann", "Ben")
    assert "Round 1" in site.get(sheet).text
    (file,) = tmp_path.glob("*.score")
    put(file, read_sheet(file).with_winner(0).with_hand(1, ["wild"]).text.encode())
    assert "Round 2" in site.get(sheet).text
    assert version(site, sheet)["version"] == read_sheet(file).version
