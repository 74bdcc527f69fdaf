"""Those who follow a game: everybody has what is now, and is sent no more than changed."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from croupier.commands import PressKey
from croupier.game_views.story import Story
from croupier.journal import Journal
from croupier.web.accounts import Accounts, Person
from croupier.web.pages import Pages, Perspective
from croupier.web.seating import Seats
from croupier.web.worker_process import WorkerProcess
from tests.journal.games import game_lines
from tests.patience import PATIENCE_S
from tests.web.events import events, taken_in
from tests.web.tables import QUICK, Page, RecordingTable, page

LINES = game_lines(1, rounds=2)
SO_FAR = 60


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Page]:
    with page(tmp_path, LINES[: SO_FAR + 1]) as made:
        yield made


@pytest.mark.parametrize("kind", ["kind=table", "kind=board", "kind=seat&seat=2"])
def test_what_changed_put_in_its_place_is_the_page_as_it_is_now(table: Page, kind: str) -> None:
    client, late = table.client(), table.client()
    sent = []
    with client.stream("GET", f"games/1/events?{kind}") as answer:
        stream = events(answer)
        n, shown = next(stream)
        for i in range(SO_FAR + 1, SO_FAR + 12):
            table.write(LINES[i])
            while n < i:
                n, event = next(stream)
                sent.append(len(event))
                shown = taken_in(shown, event)
    with late.stream("GET", f"games/1/events?{kind}") as answer:
        assert next(events(answer)) == (n, shown)
    if "seat" not in kind:
        assert sorted(sent)[len(sent) // 2] < len(shown) * 0.6, "most of it was not sent again"


def test_a_page_that_was_away_gets_what_is_now(table: Page) -> None:
    with table.client().stream("GET", "games/1/events", headers={"last-event-id": "12"}) as answer:
        n, text = next(events(answer))
        assert n == SO_FAR
        assert "<hx-partial" not in text


def test_what_is_written_between_the_page_and_its_stream_is_in_the_first_event(table: Page) -> None:
    client = table.client()
    drawn = client.get("games/1").text
    table.write(LINES[SO_FAR + 1])
    with client.stream("GET", "games/1/events") as answer:
        n, text = next(events(answer))
    assert n == SO_FAR + 1
    assert text not in drawn


def test_who_cannot_be_shown_anything_does_not_count_as_following(table: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pages, "render_part", lambda *_: 1 / 0)
    with pytest.raises(httpx.RemoteProtocolError), table.client().stream("GET", "games/1/events") as answer:
        next(events(answer))
    assert table.server.followers == 0


def test_it_is_known_how_many_follow(table: Page) -> None:
    assert table.server.followers == 0
    with table.client().stream("GET", "games/1/events") as one, table.client().stream("GET", "games/1/events") as two:
        streams = events(one), events(two)
        for stream in streams:
            next(stream)
        assert table.server.followers == 2


@pytest.mark.long
def test_a_page_apart_does_all_that_a_page_does_and_comes_back_when_it_dies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, table, accounts = tmp_path / "croupier.journal", RecordingTable(), Accounts(hasher=QUICK)
    code, admin = accounts.new_code(Person("player", 1)), accounts.new_code(Person("admin"))
    gone: list[str] = []
    with Journal(path) as journal:
        journal.add(LINES[: SO_FAR + 1], began=0.0)
        with (
            WorkerProcess(path, lambda: accounts, table, port=0, report=gone.append) as up,
            httpx.Client(base_url=up.url, timeout=PATIENCE_S) as client,
            httpx.Client(base_url=up.url, timeout=PATIENCE_S) as other,
        ):
            assert client.post("login", data={"code": code}).status_code == 303
            assert client.get("camera.jpg").content == table.picture
            table.candidates = ("red-6", "red-9")
            up.ring()
            monkeypatch.setattr(table, "ask", lambda request: 1 / 0)
            with client.stream("GET", "games/1/events") as answer:
                assert any("Which card is it?" in text for _, text in events(answer))
            assert client.post("actions/press", data={"seat": "1", "key": "uno"}).status_code == 204
            made = client.post("people", data={"role": "player", "seat": "0"})
            assert made.status_code == 403, "a player makes no codes"
            other.post("login", data={"code": admin})
            shown = other.post("people", data={"role": "player", "seat": "2"}).text
            (new,) = re.findall(r'<p class="code" translate="no">(\w+)</p>', shown)
            os.kill(up.pid, signal.SIGKILL)
            late = httpx.get(f"{up.url}games/1", timeout=PATIENCE_S)
            assert late.status_code == 200, "who comes before it is up again waits"
            late = httpx.get(f"{up.url}camera.jpg", timeout=PATIENCE_S)
            assert late.status_code == 204, "a picture that fails takes nobody the page"
            assert gone == ["", "signal 9", ""]
            assert client.post("actions/press", data={"seat": "1", "key": "uno"}).status_code == 204, "is in as before"
            assert other.post("login", data={"code": new}).status_code == 303, "made since the start, it holds"
            table.commands.pop()
            for _ in range(1000):
                up.ring()
            last = up.pid
        assert table.commands == [PressKey(1, "uno")]
    with pytest.raises(ProcessLookupError):
        os.kill(last, 0)


def test_what_cannot_be_drawn_for_one_is_still_drawn_for_the_others(
    table: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    follows = table.client()
    with (
        follows.stream("GET", "games/1/events?kind=seat&seat=1") as bad,
        table.client().stream("GET", "games/1/events") as good,
    ):
        streams = events(bad), events(good)
        for stream in streams:
            next(stream)
        draw = Pages.render_part

        def moment(self: Pages, look: Perspective, *more: *tuple[Story, int | None, Seats | None]) -> str:
            if look.kind == "seat":
                raise KeyError("seat")
            return draw(self, look, *more)

        monkeypatch.setattr(Pages, "render_part", moment)
        for i in (SO_FAR + 1, SO_FAR + 2):
            table.write(LINES[i])
            assert next(streams[1])[0] == i
