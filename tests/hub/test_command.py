"""`croupier tournament plan` with real files."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader

from croupier.cli import main
from croupier.i18n import LANGUAGES
from tests.longer import some

NAMES = ["Ann", "Bén", "Κατ", "Dan", "Eve", "Łucja", "Gus", "Hal", "Ida"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("names.txt").write_text("\ufeff" + "\n".join(NAMES) + "\n\n", encoding="utf-8")


def plan(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert main.run(["tournament", "plan", *options]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    assert main.run(["tournament", "plan", *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    return err


def test_the_plan_of_the_sheet_as_text_and_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    text = plan(capsys, "--players", "8", "--format", "g7942-partners-8")
    assert "partners 4 ×, opponents 8 ×" in text
    assert text.count("Round ") == 28
    data = json.loads(plan(capsys, "--players", "8", "--format", "g7942-partners-8", "--json"))
    assert data["evenness"]["partner"] == [4, 4]
    first = data["rounds"][0]["tables"][0]
    a, b, c, d = first["seats"]
    assert first["teams"] == [[a, c], [b, d]]
    assert f"Table 1: {a} + {c} – {b} + {d}" in text


def test_names_stand_in_text_json_and_pdf(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--names", "names.txt", "--format", "partners", "--rounds", "3")
    text = plan(capsys, *options, "--pdf", "plan.pdf")
    data = json.loads(plan(capsys, *options, "--json"))
    assert data["names"] == NAMES
    pages = [page.extract_text() for page in PdfReader(BytesIO(Path("plan.pdf").read_bytes())).pages]
    table = data["rounds"][1]["tables"][1]
    a, b, c, d = (NAMES[player] for player in table["seats"])
    assert f"Table 2: {a} + {c} – {b} + {d}" in text
    assert f"{a} + {c} – {b} + {d}" in pages[0]
    assert "Round 2 · Table 2" in pages[1]
    assert f"with {c} against {d}, {b}" in " ".join(pages[1].split())
    bye = NAMES[data["rounds"][1]["byes"][0]]
    assert f"Bye: {bye}" in text
    assert f"Bye {bye}" in " ".join(pages[0].split())


@pytest.mark.long
def test_a_pdf_of_many_tables_goes_over_several_pages_with_every_round_and_player(
    capsys: pytest.CaptureFixture[str],
) -> None:
    plan(capsys, "--players", "60", "--format", "single", "--rounds", "6", "--pdf", "plan.pdf")
    pages = [page.extract_text() for page in PdfReader("plan.pdf").pages]
    whole = "\n".join(pages)
    assert all(f"Page {n} of {len(pages)}" in page for n, page in enumerate(pages, start=1))
    assert whole.count("Round 6 · Table") == 60
    before = Path("plan.pdf").read_bytes()
    assert "plan.pdf: this file already exists" in refused(capsys, "--players", "8", "--pdf", "plan.pdf")
    assert Path("plan.pdf").read_bytes() == before


def test_an_evening_by_score_from_the_first_round_to_the_final(capsys: pytest.CaptureFixture[str]) -> None:
    Path("1.json").write_text(plan(capsys, "--names", "names.txt", "--format", "swiss", "--rounds", "2", "--json"))
    Path("scores.csv").write_text("".join(f"{name}, {10 * i}\n" for i, name in enumerate(NAMES)), encoding="utf-8")
    after = ("--scores", "scores.csv")
    Path("2.json").write_text(plan(capsys, "--after", "1.json", *after, "--json"))
    data = json.loads(Path("2.json").read_text(encoding="utf-8"))
    assert data["rounds"][0] == json.loads(Path("1.json").read_text(encoding="utf-8"))["rounds"][0]
    assert len(data["rounds"]) == 2
    assert "--final N" in refused(capsys, "--after", "2.json", *after)
    text = plan(capsys, "--after", "2.json", *after, "--final", "3")
    assert text.endswith("Final\n  Table 1: Ida, Hal, Gus\n")


def test_an_elimination_game_says_who_has_won(capsys: pytest.CaptureFixture[str]) -> None:
    Path("1.json").write_text(plan(capsys, "--players", "3", "--format", "elimination", "--json"))
    Path("scores.csv").write_text("0;20\n1;500\n2;180\n")
    assert "Final\n  Table 1: " in plan(capsys, "--after", "1.json", "--scores", "scores.csv")
    text = plan(capsys, "--after", "1.json", "--scores", "scores.csv", "--eliminate", "100")
    assert text.endswith("Won: 0\n")
    assert "The player who reaches or exceeds the amount designated loses." in text


@pytest.mark.parametrize(
    ("file", "content", "options", "text"),
    some([
        ("names.txt", "Ann\nBen\n Ann \n", "--names names.txt", "names.txt, line 3: Ann stands in line 1 already"),
        ("names.txt", "\n \n", "--names names.txt", "names.txt: it is empty; expected a row for each player"),
        ("names.txt", "A" * 61, "--names names.txt", "names.txt, line 1: \"AAA"),
        ("names.txt", b"\xff\xfeA", "--names names.txt", "names.txt: no text, or damaged"),
        ("names.txt", "Ann;A;1\nBen,B,2", "--names names.txt", "names.txt: its columns are not separated by the same"),
        ("names.txt", "Ann\nBen", "--names names.txt --players 3", "--players 3: names.txt has 2 names"),
        ("x", "", "--names nowhere", "nowhere: No such file or directory"),
        ("x", "", "", "how many players? expected --players N or --names FILE"),
        ("x", "", "--players eight", "--players"),
        ("x", "", "--players 8 --format chess", "there is no chess; expected one of g7942-partners-4"),
        ("x", "", "--players 8 --final 2", "expected --after PLAN with --scores FILE or --hub URL"),
        ("x", "", "--players 8 --lowest", "--lowest: only with --after PLAN"),
        ("x", "", "--players 8 --eliminate 500", "--eliminate: only with --after PLAN"),
        ("x", "", "--after 1.json", "expected --after PLAN with --scores FILE or --hub URL"),
        *(
            (
                "s.csv",
                "Ann,1",
                f"--after 1.json --scores s.csv {option}",
                "--after: format, players, rounds, tables and",
            )
            for option in ("--players 3", "--format swiss", "--seed 1", "--tables 0")
        ),
        ("s.csv", "Ann,1", "--after 1.json --scores s.csv --swaps 9", "--swaps: the round after a plan goes by score"),
        ("x", "", "--players 8 --swaps 0", "--swaps"),
        ("s.csv", "0,1\n1,2\n", "--after 1.json --scores s.csv", "s.csv: no score of 2; expected one of each"),
        ("s.csv", "0,1\n0,2\n", "--after 1.json --scores s.csv", "s.csv, line 2: a second score of 0"),
        ("s.csv", "0,1\n9,2\n", "--after 1.json --scores s.csv", "s.csv, line 2: 9 is no player of the plan"),
        ("s.csv", "0,1\n\n1 is fine", "--after 1.json --scores s.csv", "s.csv, line 3: no points; expected a number"),
        ("bad.json", "{", "--after bad.json --scores s.csv", "bad.json: not a plan"),
        ("bad.json", '{"format": "swiss"}', "--after bad.json --scores s.csv", "bad.json: not a plan"),
        ("bad.json", "[" * 100_000, "--after bad.json --scores s.csv", "bad.json: not a plan"),
    ], 3),
)  # fmt: skip
def test_bad_input_gets_one_line(
    file: str, content: str | bytes, options: str, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("1.json").write_text(plan(capsys, "--players", "3", "--format", "swiss", "--json"))
    Path("s.csv").write_text("0,1\n1,2\n2,3\n")
    Path(file).write_bytes(content if isinstance(content, bytes) else content.encode())
    assert text in refused(capsys, *options.split())


def test_the_effort_of_the_search_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--players", "22", "--format", "partners", "--rounds", "14", "--json", "--swaps")
    little, more = (json.loads(plan(capsys, *options, swaps))["evenness"] for swaps in ("1", "5000"))
    assert (little["partner"], more["partner"]) == ([0, 2], [0, 1])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("players",), 2), (("players",), 10**12), (("players",), "3"), (("tables",), -1),
        (("rounds", 0, "tables", 0, "seats"), [0, 0, 1]),
        (("rounds", 0, "tables", 0, "seats"), [0]), (("rounds", 0, "byes"), [7]), (("names",), ["Ann"]),
        (("format",), "chess"), (("seed",), None), (("rounds",), {}),
    ],
)  # fmt: skip
def test_a_plan_that_was_damaged_is_refused(
    path: tuple[str | int, ...], value: object, capsys: pytest.CaptureFixture[str]
) -> None:
    data = json.loads(plan(capsys, "--players", "3", "--format", "swiss", "--json"))
    inside = data
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    if path == ("rounds",):
        data["rounds"] = [{}]
    Path("1.json").write_text(json.dumps(data))
    Path("s.csv").write_text("0,1\n1,2\n2,3\n")
    assert "1.json: not a plan" in refused(capsys, "--after", "1.json", "--scores", "s.csv")


def test_the_plan_is_in_the_language_of_its_reader(capsys: pytest.CaptureFixture[str]) -> None:
    texts = {plan(capsys, "--players", "9", "--format", "partners", "--rounds", "2", "--language", code)
             for code in LANGUAGES}  # fmt: skip
    assert len(texts) == len(LANGUAGES)
    german = plan(capsys, "--players", "8", "--format", "g7942-partners-8", "--language", "de")
    assert "insgesamt 28 Runden" in german
