"""People over games and score sheets: one person under several names, names offered again, and who was forgotten."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.cli import main
from croupier.errors import BadName, CannotWrite
from croupier.journal import Journal
from croupier.runtime.host import new_options
from croupier.setup.draft import Draft
from croupier.setup.parts import Parts
from croupier.setup.steps import STEPS
from croupier.web.accounts import Person
from croupier_extras.statistics.people import FORM, MOST_PEOPLE, People, PeopleFile, known_names
from croupier_tally.page.serving import serve_scores
from croupier_tally.score_sheet import new_sheet
from tests.journal.games import game_lines
from tests.patience import PATIENCE_S
from tests.web.tables import page

ANN, ANNA, BEN = "Ann", "Anna", "Ben"
KNOWN = People().with_names((ANN, ANNA, BEN))


def names(people: People) -> list[tuple[str, ...]]:
    return [one.names for one in people.known]


def test_a_name_is_taken_in_once_however_it_is_typed() -> None:
    more = KNOWN.with_names(("ANN", " ben ", "Cat", "cat"))
    assert names(more) == [(ANN,), (ANNA,), (BEN,), ("Cat",)]
    assert [one.id for one in more.known] == [1, 2, 3, 4]


def test_with_the_name_of_somebody_else_two_become_one_person() -> None:
    merged = KNOWN.renamed(ANNA, ANN)
    assert names(merged) == [(ANN, ANNA), (BEN,)]
    assert [one.id for one in merged.known] == [1, 3], "the one who came first"
    assert merged.spelled("ANNA") == ANN
    assert names(merged.with_names((ANNA,))) == names(merged)
    assert names(merged.renamed(ANN, "Annette")) == [("Annette", ANN, ANNA), (BEN,)]
    with pytest.raises(BadName, match="Zoe"):
        KNOWN.renamed("Zoe", ANN)
    with pytest.raises(BadName):
        KNOWN.renamed(ANN, " ")


def test_who_is_forgotten_stands_in_the_file_by_no_name_and_does_not_come_again() -> None:
    gone = KNOWN.renamed(ANNA, ANN).without(ANNA)
    assert ANN.encode() not in gone.content
    assert all(gone.is_forgotten(name) for name in (ANN, "anna"))
    assert not gone.is_forgotten(BEN)
    assert names(gone.with_names((ANN, ANNA, BEN))) == [(BEN,)]
    assert People.parse(gone.content) == gone
    assert names(gone.restored(ANN).with_names((ANN, ANNA))) == [(BEN,), (ANN,)]
    assert gone.restored(ANN).with_names((ANN,)).known[-1].id == 4, "a number is given once"


NAMES = st.sampled_from(("Ann", "ANN", "Anna", "Ben", "Cat", "Dan", "Zoë", "Zoe\u0308"))
CHANGES = st.lists(st.tuples(st.sampled_from(("add", "rename", "forget", "restore")), NAMES, NAMES), max_size=20)


@given(CHANGES)
def test_a_name_is_always_that_of_one_person_at_most_and_the_file_keeps_it(
    changes: list[tuple[str, str, str]],
) -> None:  # fmt: skip
    people = People()
    for do, name, other in changes:
        match do:
            case "add":
                people = people.with_names((name, other))
            case "rename" if people.find(name):
                people = people.renamed(name, other)
            case "forget":
                people = people.without(name)
            case "restore":
                people = people.restored(name)
        assert People.parse(people.content) == people
        assert len({one.id for one in people.known}) == len(people.known)


def test_there_is_room_for_many_and_not_for_more() -> None:
    full = People().with_names(f"Player {n}" for n in range(2 * MOST_PEOPLE))
    assert len(full.known) == MOST_PEOPLE
    assert People.parse(full.content) == full


DAMAGED: list[Any] = [
    b"", b"{}", b"\xff", b"[" * 100_000, b'{"people": [], "next": "x", "forgotten": [], "salt": ""}',
    json.dumps({"people": [{"id": 1, "names": []}], "next": 2, "forgotten": [], "salt": ""}).encode(),
    json.dumps({"people": [{"id": 1, "names": ["A"]}] * 2, "next": 2, "forgotten": [], "salt": ""}).encode(),
    json.dumps({"people": [{"id": 2, "names": ["A"]}], "next": 2, "forgotten": [], "salt": ""}).encode(),
]  # fmt: skip


@pytest.mark.parametrize("content", DAMAGED)
def test_a_damaged_file_is_named_and_kept_aside_by_the_next_change(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Journal(tmp_path / "croupier.journal") as journal:
        journal.add(game_lines(1), began=1.7e9)
    file = tmp_path / "croupier.journal-people"
    file.write_bytes(content)
    stats = ["stats", "--journal", str(tmp_path / "croupier.journal")]
    assert main.run(stats) == 2
    assert "croupier.journal-people" in capsys.readouterr().err
    PeopleFile(tmp_path / "croupier.journal").apply(json.dumps(["add", "Ann"]))
    assert (tmp_path / "croupier.journal-people-damaged-1").read_bytes() == content
    assert names(People.parse(file.read_bytes())) == [(ANN,)]
    assert main.run(stats) == 0


def test_the_file_of_an_older_program_is_read_and_gets_the_present_form(tmp_path: Path) -> None:
    file = tmp_path / "croupier.journal-people"
    shutil.copy(Path(__file__).parent / "old" / file.name, file)
    people = PeopleFile(tmp_path / "croupier.journal")
    assert names(people.people()) == [(ANN, ANNA), (BEN,), ("Zoë",)]
    assert people.people().is_forgotten("Cat")
    people.rename(BEN, "Benny")
    assert json.loads(file.read_bytes())["form"] == FORM
    assert names(people.people()) == [(ANN, ANNA), ("Benny", BEN), ("Zoë",)]
    assert people.people().is_forgotten("Cat")


def test_the_file_of_a_newer_program_is_refused_in_one_line_and_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Journal(tmp_path / "croupier.journal") as journal:
        journal.add(game_lines(1), began=1.7e9)
    file = tmp_path / "croupier.journal-people"
    newer = json.dumps({"form": FORM + 1, "persons": []})
    file.write_text(newer)
    assert main.run(["stats", "--journal", str(tmp_path / "croupier.journal")]) == 2
    told = capsys.readouterr().err
    assert f"form {FORM + 1}: expected up to {FORM}; use the version of croupier that wrote it" in told
    assert told.count("\n") == 1
    with pytest.raises(CannotWrite, match="use the version of croupier that wrote it"):
        PeopleFile(tmp_path / "croupier.journal").apply(json.dumps(["add", "Ann"]))
    assert file.read_text() == newer
    assert list(tmp_path.glob("*damaged*")) == []


def test_figures_hang_on_the_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    for n, ann in enumerate(("Ann", "Anna")):
        sheet = new_sheet((ann, "Ben"), "g7942-en").with_winner(0).with_hand(1, ["red-7"])
        (tmp_path / f"2026-01-0{n + 1}.score").write_text(sheet.text)
    before = {file: file.read_bytes() for file in tmp_path.glob("*.score")}

    def rounds(*options: str) -> dict[str, int]:
        assert main.run(["stats", "--json", *options]) == 0
        return {one["player"]: one["rounds"] for one in map(json.loads, capsys.readouterr().out.splitlines())}

    assert rounds() == {"Ann": 1, "Anna": 1, "Ben": 2}
    assert rounds("--rename", "Anna=Ann") == {"Ann": 2, "Ben": 2}
    assert rounds("--delete", "ann") == {"Ben": 2}
    assert rounds() == {"Ben": 2}
    assert rounds("--restore", "Ann") == {"Ann": 1, "Ben": 2}, "the other name stays forgotten"
    assert {file: file.read_bytes() for file in before} == before, "what was played stays as it was written"
    assert main.run(["stats", "--rename", "Ann"]) == 2


def test_an_admin_renames_and_forgets_people_on_the_page(tmp_path: Path) -> None:
    with page(tmp_path, game_lines(1)) as up:
        admin, other = up.client(Person("admin")), up.client()

        def shown() -> set[str]:
            return {one["player"] for one in other.get("statistics.json").json()}

        assert shown() == {f"Player {n}" for n in range(4)}
        assert 'action="/statistics/people"' in admin.get("statistics").text
        assert 'action="/statistics/people"' not in other.get("statistics").text
        rename = {"do": "rename", "name": "Player 1", "new": "Ann"}
        assert admin.post("statistics/people", data=rename).status_code == 303
        assert admin.post("statistics/people", data={**rename, "name": "Zoe"}).status_code == 303, "who is to come"
        assert admin.post("statistics/people", data={**rename, "new": "="}).status_code == 422
        assert admin.post("statistics/people", data={"do": "forget", "name": "Player 2"}).status_code == 303
        assert shown() == {"Player 0", "Ann", "Player 3"}
        assert '"Player 2"' in other.get("games/1/log.jsonl").text, "the log stays"


def test_who_has_played_is_offered_where_the_next_names_are_typed(tmp_path: Path) -> None:
    sheet = new_sheet(("Ann", "Zoë"), "g7942-en").with_winner(0).with_hand(1, ["red-7"])
    (tmp_path / "friday.score").write_text(sheet.text)
    with serve_scores(tmp_path, "127.0.0.1", 0, None) as up, httpx.Client(base_url=up.url, timeout=PATIENCE_S) as site:
        site.get("score")
        for thread in threading.enumerate():
            if thread.name == "people":
                thread.join(PATIENCE_S)
        text = site.get("score").text
        assert '<option value="Zoë"><option value="Ann">' in text
        assert 'list="known-names"' in text


@pytest.mark.parametrize(
    ("typed", "players"),
    [("2, Dan,1", ["Ben", "Dan", "Cat"]), ("Ann, Ben", ["Ann", "Ben"]), ("9, 1", ["9", "Cat"])],
)
def test_who_has_played_is_offered_by_number_in_the_terminal(
    typed: str, players: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    PeopleFile(tmp_path / "croupier.journal").apply(json.dumps(["add", ANN, BEN, "Cat"]))
    options = new_options(tmp_path / "croupier.toml", (), "none", [], lambda _question: typed)
    assert options["seats", "names"] == players
    assert "1 Cat, 2 Ben, 3 Ann" in capsys.readouterr().out

    draft = Draft(tmp_path / "croupier.toml", Parts((), (), frozenset()))
    question = next(one for one in STEPS["seats"].questions if one.path == ("seats", "names"))
    assert draft.known_names(question) == ["Cat", "Ben", "Ann"]
    assert draft.answer_question(question, typed, {}) == ""
    assert list(draft.config().seats.names) == players
    assert draft.known_names(STEPS["seats"].questions[1]) == []


def test_a_table_without_people_or_with_a_damaged_file_offers_nobody(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    assert known_names(tmp_path / "croupier.journal") == []
    (tmp_path / "croupier.journal-people").write_bytes(b"{")
    new_options(tmp_path / "croupier.toml", (), "none", [], lambda _question: "Ann, Ben")
    assert "by number" not in capsys.readouterr().out
