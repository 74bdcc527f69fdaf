"""One score sheet, changed in the same moment by two pages (a table's, and `croupier score page`) and a terminal,
and a program that is killed: no change is lost, none is half made."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier

import httpx
import pytest

from croupier.cli import main
from croupier_tally.page import sheets
from croupier_tally.page.serving import serve_scores
from croupier_tally.score_sheet import ScoreSheet, new_sheet, read_sheet
from tests.patience import PATIENCE_S

NAMES = ("Ann", "Ben", "Cat", "Dan", "Eva")
CARDS = ("red-1", "red-2", "red-3", "red-4")
MEANWHILE = "Somebody else changed this score sheet meanwhile. Check what is there now."


def sheet_file(folder: Path, sheet: ScoreSheet | None = None) -> Path:
    file = folder / "friday.score"
    file.write_text((sheet or new_sheet(NAMES, "g7942-en").with_winner(0)).text)
    return file


@contextmanager
def two_pages(folder: Path) -> Iterator[tuple[str, str]]:
    with serve_scores(folder, "127.0.0.1", 0, None) as one, serve_scores(folder, "127.0.0.1", 0, None) as other:
        yield one.url, other.url


def at_once(urls: tuple[str, str], path: str, *forms: dict[str, str]) -> list[httpx.Response]:
    """Two forms, each by a phone of its own on a page of its own, in the same moment."""

    def send(url: str, data: dict[str, str]) -> httpx.Response:
        with httpx.Client(base_url=url, timeout=PATIENCE_S, headers={"hx-request": "true"}) as phone:
            return phone.post(path, data=data)

    with ThreadPoolExecutor(len(forms)) as threads:
        return list(threads.map(send, urls, forms))


@pytest.fixture
def met(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Make the first writes of so many phones wait until all of them have read the sheet."""

    original = sheets.ScoreSheets._save

    def meet(phones: int) -> None:
        barrier, send = Barrier(phones), original
        waits = iter(range(phones))

        def late(self: sheets.ScoreSheets, name: str, sheet: ScoreSheet, after: str) -> bool:
            if next(waits, None) is not None:
                barrier.wait(PATIENCE_S)
            return send(self, name, sheet, after)

        monkeypatch.setattr(sheets.ScoreSheets, "_save", late)

    return meet


def test_hands_that_are_sent_in_the_same_moment_are_all_kept(tmp_path: Path, met: Callable[[int], None]) -> None:
    file = sheet_file(tmp_path)
    with two_pages(tmp_path) as urls:
        for pair in ((1, 2), (3, 4)):
            met(2)
            hands = ({"seat": str(seat), "round": "1", "card-00": CARDS[seat - 1]} for seat in pair)
            answers = at_once(urls, "score/friday/hand", *hands)
            assert [one.status_code for one in answers] == [303, 303]
    now = read_sheet(file)
    assert now.counted[0].hands == {seat: (CARDS[seat - 1],) for seat in (1, 2, 3, 4)}


def test_of_two_who_say_that_another_one_went_out_the_later_is_told(tmp_path: Path, met: Callable[[int], None]) -> None:
    file = sheet_file(tmp_path, new_sheet(NAMES, "g7942-en"))
    with two_pages(tmp_path) as urls:
        met(2)
        version = httpx.get(f"{urls[0]}score/friday/version", timeout=PATIENCE_S).text
        forms = ({"seat": str(seat), "version": version} for seat in (1, 2))
        answers = at_once(urls, "score/friday/winner", *forms)
    assert sorted(one.status_code for one in answers) == [303, 409]
    (refused,) = (one for one in answers if one.status_code == 409)
    assert refused.text == MEANWHILE
    open_round = read_sheet(file).open_round
    assert open_round is not None
    assert open_round.went_out == (1 if answers[0].status_code == 303 else 2)


def test_two_sheets_that_are_begun_in_the_same_moment_are_two(tmp_path: Path, met: Callable[[int], None]) -> None:
    with two_pages(tmp_path) as urls:
        met(2)
        answers = at_once(urls, "score", *({"name-0": name, "name-1": "Ben"} for name in ("Ann", "Cat")))
    assert [one.status_code for one in answers] == [303, 303]
    found = {read_sheet(file).names[0] for file in tmp_path.glob("*.score")}
    assert found == {"Ann", "Cat"}


def test_the_terminal_loses_nothing_that_a_phone_wrote_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = sheet_file(tmp_path)
    before = read_sheet(file)
    phone = before.with_hand(1, ["red-7"])

    def undo_late(self: ScoreSheet) -> ScoreSheet:
        file.write_text(phone.text)
        return new_sheet(NAMES, "g7942-en")

    monkeypatch.setattr(ScoreSheet, "without_last_round", undo_late)
    assert main.run(["score", "undo", "--sheet", str(file)]) == 2
    assert MEANWHILE in capsys.readouterr().err
    assert read_sheet(file).text == phone.text


KILLED = """
import os, signal, sys
from croupier.cli import main
replace = os.replace
def killed(*names):
    if sys.argv[1] == "after":
        replace(*names)
    os.kill(os.getpid(), signal.SIGKILL)
os.replace = killed
main.run(sys.argv[2:])
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_sheet_that_goes_on_is_whole_whenever_the_program_is_killed(when: str, tmp_path: Path) -> None:
    won = new_sheet(("Ann", "Ben"), "g7942-en", target=10).with_winner(0).with_hand(1, ["wild"])
    assert won.is_over
    file = sheet_file(tmp_path, won)
    arguments = ["score", "continue", "--target", "500", "--sheet", str(file)]
    ended = subprocess.run([sys.executable, "-c", KILLED, when, *arguments], timeout=PATIENCE_S, check=False)
    assert ended.returncode == -9
    now = read_sheet(file)
    assert now.text == (won if when == "before" else won.going_on(500)).text
    assert [one.stem for one in tmp_path.glob("*.score")] == ["friday"], "what was not finished is no sheet"
