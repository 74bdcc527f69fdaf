"""The commands of a hub, its director and its readers, against a real hub."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import ANY

import jsonschema_rs
import pytest
from pypdf import PdfReader

from croupier.cli import main
from croupier.i18n import LANGUAGES
from croupier_hub.outbox import Outbox
from croupier_hub.results import EXAMPLE, schema
from croupier_hub.signed_log import name_of, sign
from croupier_hub.store import LogStore
from croupier_hub.tickets import Ticket, read_ticket
from tests.hub.running import director, hub_here, serving
from tests.hub.test_logs import EVERYTHING, A, B, url


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    return iter([None])


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main.run(["tournament", *arguments]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main.run(["tournament", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 1)
    return err


@pytest.mark.long
def test_an_evening_from_the_plan_to_the_file_of_results(capsys: pytest.CaptureFixture[str]) -> None:
    with Outbox(Path("director.outbox")):
        Path("plan.json").write_text(said(capsys, "plan", "--players", "4", "--rounds", "2", "--json"))
    key = name_of(EVERYTHING[1][0])
    with hub_here() as address:
        at = ("--hub", address)
        assert said(capsys, "publish", "plan.json", *at) == "rounds published: 2\n"
        assert said(capsys, "publish", "plan.json", *at) == "rounds published: 0\n"
        assert "round 1 ends at " in said(capsys, "timer", "1", "--minutes", "5", *at)
        assert "no round 3 that is still played" in refused(capsys, "timer", "3", *at)
        for _ in range(2):
            assert said(capsys, "enroll", key, "--table", "1", *at) == f"Table 1: {key}\n"
        assert "awaited: 1; --anyway ends" in refused(capsys, "end", "1", *at)
        assert "there is no round 3" in refused(capsys, "end", "3", *at)
        for _ in range(2):
            assert said(capsys, "end", "1", "--anyway", *at) == "round 1 has ended\n"
        assert json.loads(said(capsys, "standings", "--json", *at))["ended"] == [1]
        said(capsys, "export", "--out", "results.json", *at)
        assert "this file already exists" in refused(capsys, "export", "--out", "results.json", *at)
        Path("plan.json").write_text(said(capsys, "plan", "--players", "5", "--rounds", "2", "--json"))
        assert "round 1 has ended with other seats" in refused(capsys, "publish", "plan.json", *at)
        with Outbox(Path("other.outbox")):
            pass
        assert "another director" in refused(capsys, "end", "2", "--anyway", "--director", "other.outbox", *at)
    data = json.loads(Path("results.json").read_text())
    assert (data["director"], len(data["rounds"])) == (director(), 2)
    assert said(capsys, "export", "--check", "results.json") == "results.json: the results of 0 players\n"


@pytest.mark.long
def test_players_are_registered_penalized_and_get_their_badges(capsys: pytest.CaptureFixture[str]) -> None:
    with Outbox(Path("director.outbox")) as outbox:
        key = outbox.log
    Path("names.txt").write_text("Ann\nBen\nCat\nDan\n")
    Path("gone.txt").write_text("Dan\n")
    Path("plan.json").write_text(said(capsys, "plan", "--names", "names.txt", "--rounds", "1", "--json"))
    with hub_here() as address:
        at = ("--hub", address)
        assert main.run(["tournament", "register", "names.txt", *at]) == 2
        told = capsys.readouterr().err
        assert told.startswith("names.txt: UTF-8, one column\nRows: 4\n  Ann\n")
        assert "nothing was written; look at what was understood, and add --yes" in told
        here, gone = ("--as", "here", "--yes", *at), ("--as", "withdrawn", "--yes", *at)
        assert said(capsys, "register", "names.txt", *here) == "players with another state: 4\n"
        assert said(capsys, "register", "gone.txt", *gone) == "players with another state: 1\n"
        assert said(capsys, "players", "--here", *at) == "Ann\nBen\nCat\n"
        assert "Dan: withdrawn\n" in said(capsys, "players", *at)
        said(capsys, "publish", "plan.json", *at)
        assert said(capsys, "publish", "plan.json", "--from-round", "2", *at) == "rounds published: 1\n"
        assert "Ann loses 20 points for round 2" in said(capsys, "penalty", "Ann", "20", "--round", "2", *at)
        assert "Zoe is no player" in refused(capsys, "penalty", "Zoe", "20", "--round", "2", *at)
        assert json.loads(said(capsys, "standings", "--json", *at))["standings"] == [
            {"place": 1, "player": "Ann", "points": -20}
        ]
        said(capsys, "export", "--out", "results.json", *at)
        said(capsys, "badges", *at)
        Path("plan.json").write_text(said(capsys, "plan", "--names", "names.txt", "--format", "swiss", "--json"))
        Path("late.txt").write_text("Zoe\n")
        said(capsys, "register", "late.txt", "--as", "here", "--yes", *at)
        seated = json.loads(said(capsys, "plan", "--after", "plan.json", "--json", *at))
        assert [seated["names"][player] for player in sorted(seated["rounds"][1]["tables"][0]["seats"])] == [
            "Ann", "Ben", "Cat", "Zoe"
        ]  # fmt: skip
        assert "expected 2–4 players" in refused(capsys, "plan", "--after", "plan.json", "--final", "5", *at)
        link = said(capsys, "invite", "referee", *at).strip()
        assert read_ticket(link.rpartition("/")[2], key, 0) == Ticket("referee", "1", ANY)
    assert said(capsys, "export", "--check", "results.json") == "results.json: the results of 1 players\n"
    assert Path("badges.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.long
def test_the_standings_say_who_is_first_and_what_does_not_count(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    store = LogStore(url(tmp_path), name_of(EVERYTHING[0][0]))
    for key, lines in EVERYTHING:
        store.put(sign(key, lines))
    store.put(sign(EVERYTHING[1][0], [*EVERYTHING[1][1], EVERYTHING[1][1][1]]))
    with serving(store) as address:
        table = said(capsys, "standings", "--hub", address)
        assert [row.split() for row in table.splitlines()[:3]] == [
            ["Place", "Player", "Points"], ["=1", "Ann", "20"], ["=1", "Dan", "20"]
        ]  # fmt: skip
        assert f"ALARM: {B} has written two different lines 2" in table
        assert f"{A}, 4: does not count: the round had ended" in table
        said(capsys, "standings", "--hub", address, "--pdf", "standings.pdf")
        printed = " ".join(PdfReader("standings.pdf").pages[0].extract_text().split())
        assert "Place Player Points =1 Ann 20 =1 Dan 20" in printed
        assert "Round 1 Table 1 Ann 20, Ben 0" in printed
        every = {said(capsys, "standings", "--hub", address, "--language", code) for code in LANGUAGES}
        assert len(every) == len(LANGUAGES)
        Path("results.json").write_text(said(capsys, "export", "--hub", address))
        form = json.loads(said(capsys, "export", "--schema"))
        jsonschema_rs.validate(form, json.loads(Path("results.json").read_text()))
    assert said(capsys, "export", "--check", "results.json") == "results.json: the results of 4 players\n"


def test_the_example_of_the_schema_is_valid_and_what_is_not_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    jsonschema_rs.validate(schema(), EXAMPLE)
    wrong = {
        "{": "not the results of a tournament",
        json.dumps(EXAMPLE | {"director": 7}): "not the results of a tournament: director: ",
        json.dumps(EXAMPLE | {"standings": [{"place": 1, "player": "Ann", "points": 31}]}): "the points of Ann are not",
        json.dumps(EXAMPLE | {"standings": [{"place": 1, "player": "Ann", "points": 30}]}): "Ben is missing",
    }
    for text, why in wrong.items():
        Path("results.json").write_text(text)
        assert f"results.json: {why}" in refused(capsys, "export", "--check", "results.json")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ("standings --hub http://127.0.0.1:9", "http://127.0.0.1:9: Connection refused: expected a hub there"),
        ("standings --hub nowhere", "nowhere: "),
        ("standings --hub http://hub.example.org:8400", "http://hub.example.org:8400: this hub is outside your own"),
        ("end 1 --director nowhere", "nowhere: no such file: expected the director’s"),
        ("enroll abc --table 1", "abc: expected the key of a table, 64 digits"),
        ("hub --database sqlite:///nowhere/hub.db", "cannot be used: No such file or directory"),
        ("hub --database broken", "no database: expected an address such as sqlite:///hub.db"),
        ("hub --database sqlite:///hub.db", "hub.db cannot be used: file is not a database"),
        ("hub --database sqlite:///new.db --host 192.0.2.1", "the hub cannot listen on 192.0.2.1, port 8400"),
        ("hub --database sqlite:///new.db --forward http://hub.example.org", "this hub is outside your own network"),
        ("hub --director nowhere/director.outbox", "nowhere/director.outbox: No such file or directory"),
    ],
)
def test_what_cannot_be_used_gets_one_line(arguments: str, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("hub.db").write_bytes(b"x" * 5000)
    assert text in refused(capsys, *arguments.split())
