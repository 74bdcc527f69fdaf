"""What people see of a tournament: screens, standings, pages, as any browser gets them from a hub."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from starlette.testclient import TestClient

from croupier.cli import main
from croupier.i18n import LANGUAGES
from croupier_hub.pages.site import create_site
from croupier_hub.pages.tournament import SCENES, SLIDE_S
from croupier_hub.signed_log import sign
from croupier_hub.store import LogStore
from tests.hub.running import serving
from tests.hub.test_logs import BOSS, DIRECTED, DIRECTOR, ONE, TABLE_1, TABLE_2, TWO, text, url
from tests.journal.games import game_lines
from tests.patience import PATIENCE_S

DEALT = [text(obs="dealt", t=1.0, seat=0, n=2, cards=["red-1", "red-2"])]


def played(lines: int) -> list[str]:
    """A table log as far as so many lines."""
    return [*game_lines(1)[:lines]]


@dataclass
class Hall:
    """A hub with pages at a time that the test sets."""

    store: LogStore
    now: float = 1_000_000.0
    directed: list[str] = field(default_factory=lambda: list(DIRECTED))

    def __post_init__(self) -> None:
        self.browser = TestClient(create_site(self.store, lambda: self.now), follow_redirects=False)
        self.directs()

    def directs(self, *lines: str) -> None:
        """The director writes."""
        self.directed += lines
        self.store.put(sign(DIRECTOR, self.directed))
        self.now += 2

    def sees(self, path: str, language: str = "en") -> str:
        """A page, by somebody who reads this language."""
        answer = self.browser.get(path, headers={"accept-language": language})
        assert answer.status_code == 200, answer.text
        return str(answer.text)


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    store = LogStore(url(tmp_path), BOSS)
    yield Hall(store)
    store.close()


def test_the_screen_shows_the_round_that_is_played_and_rotates_without_a_script(hall: Hall) -> None:
    hall.store.put(sign(ONE, [*played(20), TABLE_1[3]]))
    hall.now = 10 * SLIDE_S * len(SCENES)
    titles = []
    for _ in SCENES:
        page = hall.sees("/screen")
        assert "Round 2" in page
        titles.append(page.partition("<h1>")[2].partition("<")[0])
        hall.now += SLIDE_S
    assert titles == ["Who sits where", "The tables now", "Standings"]
    page = hall.sees("/screen/slide?show=tables")
    assert "Table 1" in page
    assert "Player 0" in page
    assert "has not begun" in page
    assert hall.browser.get("/screen?show=nothing").status_code == 422
    assert len({hall.sees("/screen?show=tables", code) for code in LANGUAGES}) == len(LANGUAGES)


def test_a_name_on_the_screen_is_cut_by_its_room_alone(hall: Hall) -> None:
    header, *lines = played(20)
    names = ["Wilhelmine-Charlotte von Hohenstein", *json.loads(header)["seats"][1:]]
    hall.store.put(sign(ONE, [text(**json.loads(header) | {"seats": names}), *lines, TABLE_1[3]]))
    assert f'<span translate="no">{names[0]}</span> <b>' in hall.sees("/screen/slide?show=tables")


def test_nobody_sees_hidden_cards_on_a_screen(hall: Hall) -> None:
    hall.store.put(sign(ONE, [*played(1), *DEALT]))
    page = hall.sees("/screen/slide?show=tables")
    assert "Player 0" in page
    assert "red" not in page.lower()


@pytest.mark.long
def test_the_clock_of_a_round_goes_down_to_nothing(hall: Hall) -> None:
    hall.directs(text(timer=2, ends=int(hall.now) + 602))
    assert 'data-left="600"' in hall.sees("/screen")
    hall.now += 1000
    assert 'data-left="0"' in hall.sees("/")
    hall.directs(text(end=2, lines={}))
    assert "data-left" not in hall.sees("/")


@pytest.mark.long
def test_forty_tables_take_turns_on_the_screen(hall: Hall) -> None:
    hall.directs(text(plan=2, round=2, tables={str(n): [f"A{n}", f"B{n}"] for n in range(1, 41)}))
    seen = set()
    for _ in range(5):
        page = hall.sees("/screen?show=pairings")
        seen |= {n for n in range(1, 41) if f">A{n}</span></li>" in page}
        hall.now += SLIDE_S
    assert seen == set(range(1, 41))


def test_who_is_missing_is_told_once_players_are_checked_in(hall: Hall) -> None:
    assert "Not here yet" not in hall.sees("/screen?show=pairings")
    hall.directs(text(player="Ann", state="expected", round=2), text(player="Ben", state="here", round=2))
    page = hall.sees("/screen?show=pairings").partition("Not here yet")[2]
    assert "Ann" in page
    assert "Ben" not in page


@pytest.mark.long
def test_a_name_is_text_and_nothing_else(hall: Hall) -> None:
    hall.directs(text(plan=2, round=2, tables={"1": ["<script>", "Ben"]}))
    page = hall.sees("/")
    assert "&lt;script&gt;" in page
    assert "<script></span>" not in page


@pytest.mark.long
def test_only_a_page_of_the_hub_changes_what_a_browser_keeps(hall: Hall) -> None:
    chosen = hall.browser.post("/choice", data={"language": "de"}, headers={"origin": "http://testserver"})
    assert "language=de" in chosen.headers["set-cookie"]
    assert hall.browser.post("/choice", data={"theme": "x"}).status_code == 422
    refused = hall.browser.post("/choice", data={"language": "fr"}, headers={"origin": "http://else.where"})
    assert (refused.status_code, refused.headers["x-content-type-options"]) == (403, "nosniff")


def test_any_web_server_can_serve_the_standings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    store = LogStore(url(tmp_path), BOSS)
    for key, lines in ((DIRECTOR, DIRECTED), (ONE, TABLE_1), (TWO, TABLE_2)):
        store.put(sign(key, lines))
    with serving(store) as address:
        for _ in range(2):
            assert main.run(["tournament", "pages", "site", "--hub", address, "--language", "de"]) == 0
        results = httpx.get(f"{address}/results", timeout=PATIENCE_S).json()
    site = tmp_path / "site"
    assert json.loads((site / "results.json").read_text()) == results
    index = (site / "index.html").read_text()
    assert index == (site / "de.html").read_text()
    assert '<th scope="row" translate="no">Dan</th>' in re.sub("<svg.*?</svg>", "", index)
    assert "Klassement" not in index
    assert "src=" not in index  # no script: nothing there answers
    addresses = {part.partition('"')[0] for part in index.split('href="')[1:]} - {"#main"}
    assert all((site / one).is_file() for one in addresses), addresses
    fonts = {part.partition(")")[0] for part in (site / "static/page.css").read_text().split("url(")[1:]}
    assert fonts
    assert all((site / "static" / one).is_file() for one in fonts)
    (tmp_path / "file").write_text("")
    capsys.readouterr()
    assert main.run(["tournament", "pages", "file", "--hub", "http://127.0.0.1:9"]) == 2
