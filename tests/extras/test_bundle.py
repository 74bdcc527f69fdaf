"""`croupier doctor --bundle`: what helps is in it, and nothing that is nobody's business."""

from __future__ import annotations

import getpass
import json
import socket
import zipfile
from pathlib import Path

import pytest

from croupier.cli import main
from croupier.doctor.check import CheckContext
from croupier.doctor.finding import Finding
from croupier.journal import Journal
from croupier_extras import bundle
from tests.journal.games import game_lines

SECRETS = {
    "Annegret", "Björn <script>", "Stammtisch Adler", "192.168.17.4", "hunter2-hunter2", "broker.adler.example",
    "hooks.adler.example", "tok-5e7d", "adler-table", "annegret-mqtt", "gP4wq0Zz7uXk", "E66138935F7B6A29", "anna/decks",
}  # fmt: skip

CONFIG = """
[table]
name = "Stammtisch Adler"
[seats]
names = ["Annegret", "Björn <script>"]
[camera]
source = "none"
[pico]
port = "usb:E66138935F7B6A29"
[deck]
profile = "/home/anna/decks/ours.deck"
[page]
address = "192.168.17.4"
name = "adler-table"
[mqtt]
host = "broker.adler.example"
user = "annegret-mqtt"
password = "hunter2-hunter2"
[[webhooks]]
url = "https://hooks.adler.example/croupier?token=tok-5e7d"
secret = "gP4wq0Zz7uXk"
"""


ONLY = [word for name in ("config", "page", "deck", "mqtt", "journal") for word in ("--only", name)]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("croupier.toml").write_text(CONFIG)
    return tmp_path


def inside(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as zipped:
        return {name: zipped.read(name).decode() for name in zipped.namelist()}


def test_names_secrets_and_addresses_stay_here(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main.run(["doctor", "--bundle", "report.zip", *ONLY])
    assert "Annegret" not in capsys.readouterr().out
    told = "".join(inside(here / "report.zip").values())
    assert [secret for secret in SECRETS if secret in told] == []
    for name in {socket.gethostname(), getpass.getuser()} - {"root", "localhost"}:
        assert name not in json.loads(inside(here / "report.zip")["findings.json"])


def test_a_file_that_is_wrong_says_nothing_of_what_stands_in_it(here: Path) -> None:
    Path("croupier.toml").write_text(CONFIG.replace("password", "pasword"))
    main.run(["doctor", "--bundle", "report.zip", "--only", "config"])
    pieces = inside(here / "report.zip")
    assert json.loads(pieces["table.json"])["wrong"] is True
    assert [secret for secret in SECRETS if secret in "".join(pieces.values())] == []


def test_a_password_without_quotes_stays_here_as_well(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("croupier.toml").write_text(CONFIG.replace('"hunter2-hunter2"', "84213377"))
    main.run(["doctor", "--bundle", "report.zip", "--only", "config"])
    said = capsys.readouterr()
    assert "84213377" not in "".join((said.out, said.err, *inside(here / "report.zip").values()))


def test_a_name_in_a_finding_is_taken_out_whatever_wrote_it(here: Path) -> None:
    told = "Seat of Annegret at 192.168.17.4 and 2c:cf:67:01:02:03, file /home/anna/decks/ours.deck"
    with CheckContext(Path("croupier.toml")) as table:
        bundle.write(here / "report.zip", [Finding("x", "wrong", told, "ask Annegret", {"who": ["Annegret"]})], table)
    (found,) = json.loads(inside(here / "report.zip")["findings.json"])
    assert found["text"] == "Seat of … at … and …, file …"
    assert (found["remedy"], found["measured"]) == ("ask …", {"who": ["…"]})


def test_a_game_is_reported_without_names_hands_and_texts(here: Path) -> None:
    lines = game_lines(open_hands=True)
    assert any('"cards"' in line for line in lines)
    with Journal(here / "croupier.journal") as journal:
        journal.add(lines, began=0.0)
    with CheckContext(Path("croupier.toml")) as table:
        bundle.write(here / "report.zip", [], table)
    header, *rest = map(json.loads, inside(here / "report.zip")["game.jsonl"].splitlines())
    assert header["seats"] == ["Seat 0", "Seat 1", "Seat 2", "Seat 3"]
    assert len(rest) == len(lines) - 1
    assert any(one["obs"] == "play" and one["card"] for one in rest)
    assert not any(set(one.get("cards", ())) - {"back"} for one in rest)


def test_what_people_wrote_into_a_game_stays_here() -> None:
    lines = [
        '{"log": "croupier/1", "ruleset": "house-rules-pl", "seats": ["Annegret", "Björn"], "dealer": 0}',
        '{"obs": "house_rule", "t": 1, "seat": 0, "number": 3, "text": "Annegret sings"}',
        '{"obs": "fault", "t": 2, "device": "<b>adler</b>", "kind": "jam"}',
    ]
    _, rule, fault = map(json.loads, bundle._open_lines(lines))
    assert rule == {"obs": "house_rule", "t": 1.0, "seat": 0, "number": 3}
    assert fault == {"obs": "fault", "t": 2.0, "kind": "jam"}


def test_what_helps_is_there(here: Path) -> None:
    main.run(["doctor", "--bundle", "report.zip", "--only", "versions"])
    pieces = inside(here / "report.zip")
    assert "README.txt" in pieces
    assert json.loads(pieces["findings.json"])[0]["measured"]["opencv-python-headless"].count(".") == 3
    assert json.loads(pieces["table.json"])["shoe"]["turn_speed"] == 80
    assert "numpy==" in pieces["packages.txt"]
    for name in set(pieces) - {"README.txt"}:
        assert name in pieces["README.txt"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        pytest.param("report.tar", "ends in .zip", id="no-zip"),
        pytest.param("there.zip", "already exists", id="there"),
        pytest.param("nowhere/report.zip", "no folder nowhere", id="no-folder"),
    ],
)
def test_where_it_cannot_go_is_reported_before_anything_is_looked_at(
    here: Path, capsys: pytest.CaptureFixture[str], name: str, told: str
) -> None:
    Path("there.zip").touch()
    assert main.run(["doctor", "--bundle", name]) == 2
    out, err = capsys.readouterr()
    assert (out, told in err) == ("", True)
