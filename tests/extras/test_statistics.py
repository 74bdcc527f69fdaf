"""Statistics of the players: what is counted from a record, the rating, the command, and the page's files."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import pytest

from croupier.cli import main
from croupier.game_views.story import Story
from croupier.journal import Journal, text_of
from croupier.web.accounts import Person
from croupier_extras.statistics.figures import GameFigures, LeftOut, rate, statistics
from croupier_tally.page.serving import serve_scores
from croupier_tally.score_sheet import new_sheet
from tests.journal.games import game_lines
from tests.patience import PATIENCE_S
from tests.web.stories import simulated
from tests.web.tables import page, reached

HEADER: dict[str, Any] = {
    "log": "croupier/1", "ruleset": "g7942-en", "seats": ["Ann", "Ben", "Cat"], "dealer": 2,
    "given": {"turn": 0, "top": "red-5", "hands": [2, 3, 7]},
}  # fmt: skip


def figures(*observations: dict[str, Any], **header: Any) -> GameFigures:
    """The figures of a game from the middle of a round."""
    return GameFigures.of(Story(text_of(HEADER | header), *map(text_of, observations)))


def play(t: float, seat: int, card: str) -> dict[str, Any]:
    return {"obs": "play", "t": t, "seat": seat, "card": card}


def uno(t: float, seat: int) -> dict[str, Any]:
    return {"obs": "uno", "t": t, "seat": seat}


FORGOT = (play(10, 0, "red-7"), uno(11, 1), {"obs": "drew", "t": 12, "seat": 0, "n": 2})
"""Ann lays her second to last card without a call, is caught by Ben, and draws."""


def counted(found: GameFigures, *what: str) -> dict[str, tuple[int, ...]]:
    return {name: tuple(found.counts[name][one] for one in what) for name in found.players}


def test_a_forgotten_call_counts_against_one_player_and_for_the_other() -> None:
    found = counted(figures(*FORGOT), "calls", "calls_forgotten", "caught", "catches")
    assert found == {"Ann": (0, 1, 1, 0), "Ben": (0, 0, 0, 1), "Cat": (0, 0, 0, 0)}


def test_a_forgotten_call_counts_where_nobody_noticed_it() -> None:
    found = figures(play(10, 0, "red-7"), play(14, 1, "red-1"), play(18, 2, "red-2"))
    assert counted(found, "calls_forgotten", "caught")["Ann"] == (1, 0)


def test_a_call_in_time_counts_as_a_call() -> None:
    found = figures(uno(9, 0), play(10, 0, "red-7"), play(14, 1, "red-1"), play(18, 2, "red-2"))
    assert counted(found, "calls", "calls_forgotten")["Ann"] == (1, 0)


def test_a_refused_card_is_no_card_that_was_played() -> None:
    found = figures(*FORGOT, play(14, 1, "red-2"), play(20, 2, "blue-1"), play(22, 2, "red-1"))
    assert counted(found, "played", "refused", "drawn") == {"Ann": (1, 0, 2), "Ben": (1, 0, 0), "Cat": (1, 1, 0)}


def test_a_challenge_counts_for_who_made_it_and_for_whose_card_it_was() -> None:
    bluff = [
        play(10, 0, "wild-draw4"), {"obs": "color", "t": 11, "color": "red"}, {"obs": "challenge", "t": 12, "seat": 1},
        {"obs": "shown", "t": 13, "seat": 0, "cards": ["red-1", "red-2"]},
    ]  # fmt: skip
    given = {"turn": 0, "top": "red-5", "hands": [3, 3, 7]}
    found = counted(
        figures(*bluff, given=given), "challenges", "challenges_won", "challenged", "challenged_guilty"
    )  # fmt: skip
    assert found == {"Ann": (0, 0, 1, 1), "Ben": (1, 1, 0, 0), "Cat": (0, 0, 0, 0)}


def test_a_turn_lasts_until_the_first_act_and_without_pauses() -> None:
    pause = [{"obs": "fault", "t": 23, "device": "camera", "kind": "moved"}, {"obs": "resumed", "t": 33}]
    found = figures(*FORGOT, play(14, 1, "red-2"), play(20, 2, "blue-1"), play(22, 2, "red-1"), *pause,
                    play(40, 0, "red-4"))  # fmt: skip
    assert found.turns_s == {"Ann": [8.0], "Ben": [4.0], "Cat": [6.0]}


def test_what_was_undone_does_not_count() -> None:
    undone = [play(14, 1, "red-2"), {"obs": "overrule", "t": 15, "undo": 4}]
    assert figures(*FORGOT, *undone) == figures()


def test_who_swaps_seats_or_goes_keeps_the_own_figures() -> None:
    swap = {"obs": "overrule", "t": 13, "set": {"hands": [3, 3, 7]}, "player": {"does": "swap", "seat": 0, "with": 1}}
    found = figures(*FORGOT, swap, play(14, 1, "red-2"))
    assert counted(found, "caught", "catches", "played") == {"Ann": (1, 0, 2), "Ben": (0, 1, 0), "Cat": (0, 0, 0)}


@pytest.mark.parametrize("seed", range(1, 6))
def test_whole_games_are_counted_as_their_lines_say(seed: int) -> None:
    lines = game_lines(seed, rounds=4)
    found = GameFigures.of(Story(*lines))
    log = [json.loads(line) for line in lines]
    names = log[0]["seats"]
    assert {name: found.counts[name]["played"] for name in names} == {
        name: sum(line.get("obs") == "play" and line["seat"] == seat for line in log[1:])
        for seat, name in enumerate(names)
    }
    won = sum(found.counts[name]["rounds_won"] for name in names)
    assert won == len(found.rounds) >= 1
    assert all(found.counts[name]["rounds"] == won for name in names)
    assert all({name for side in sides for name in side} == set(names) for sides in found.rounds)


def test_partners_win_together() -> None:
    seats = {"seats": ["Ann", "Ben", "Cat", "Dan"], "teams": [[0, 2], [1, 3]], "ruleset": "g7942-en"}
    found = figures(play(10, 0, "red-7"), given={"turn": 0, "top": "red-5", "hands": [1, 3, 7, 2]}, **seats)
    assert [set(side) for side in found.rounds[0]] == [{"Ann", "Cat"}, {"Ben", "Dan"}]
    assert [found.counts[name]["rounds_won"] for name in ("Ann", "Ben", "Cat", "Dan")] == [1, 0, 1, 0]


def test_the_rating_follows_the_rounds_and_becomes_surer() -> None:
    once = rate([(("Ann",), ("Ben",), ("Cat",))])
    often = rate([(("Ann",), ("Ben",), ("Cat",))] * 20)
    assert once["Ann"][0] > 25 > once["Ben"][0] == pytest.approx(once["Cat"][0])
    assert often["Ann"][0] > once["Ann"][0]
    assert often["Ann"][1] < once["Ann"][1] < 25 / 3


def game(*winners: str) -> GameFigures:
    """A game of Ann and Ben."""
    counts = {name: Counter({"games": 1, "games_won": int(name in winners)}) for name in ("Ann", "Ben")}
    return GameFigures(counts, {"Ann": [], "Ben": []}, (), winners)


def test_games_won_in_a_row_are_counted_to_the_last_game_that_was_won_by_somebody() -> None:
    games = [game("Ann"), game("Ann"), game("Ben"), game("Ann"), game()]
    found = {one.name: (one.streak, one.longest_streak) for one in statistics(games)}
    assert found == {"Ann": (1, 2), "Ben": (0, 1)}


def test_who_won_the_game_is_the_last_word_of_the_referee() -> None:
    near = HEADER["given"] | {"hands": [1, 3, 7], "scores": [490, 0, 0]}
    blue = ["blue-0", "blue-1", "blue-1", "blue-2", "blue-2", "blue-3", "blue-3"]
    shown = [
        {"obs": "shown", "t": 20, "seat": 1, "cards": ["red-9", "red-8", "red-7"]},
        {"obs": "shown", "t": 21, "seat": 2, "cards": blue},
    ]
    found = figures(uno(9, 0), play(10, 0, "red-6"), *shown, given=near)
    assert found.winners == ("Ann",)
    assert counted(found, "games_won", "points") == {"Ann": (1, 526), "Ben": (0, 0), "Cat": (0, 0)}
    taken_back = {"obs": "overrule", "t": 22, "undo": 1}
    assert figures(uno(9, 0), play(10, 0, "red-6"), *shown, taken_back, given=near).winners == ()


def test_a_player_who_is_left_out_is_not_listed_and_the_others_figures_stay() -> None:
    games = [GameFigures.of(Story(*game_lines(seed, rounds=2))) for seed in (1, 2)]
    everybody = {one.name: one for one in statistics(games)}
    left = statistics(games, ["Ben"])
    assert {one.name: one for one in left} == {name: one for name, one in everybody.items() if name != "Ben"}
    assert len(everybody) == 4


def test_a_player_is_one_on_whatever_keyboard_the_name_was_typed() -> None:
    games = []
    for seed, name in ((1, "Zoe\u0308"), (2, "zo\u00eb"), (3, "Zo\u00eb")):
        header, *lines = game_lines(seed)
        told = json.loads(header)
        told["seats"][0] = name
        games.append(GameFigures.of(Story(text_of(told), *lines)))
    found = {one.name: one.counts["games"] for one in statistics(games)}
    assert found["Zo\u00eb"] == 3
    assert len(found) == 4
    assert "Zo\u00eb" not in {one.name for one in statistics(games, ["ZOE\u0308"])}


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "croupier.journal"
    with Journal(path) as writer:
        for lines in (game_lines(1), game_lines(2), simulated(game_lines(3))):
            writer.add(lines, began=1.7e9)
    return path


def listed(capsys: pytest.CaptureFixture[str], *options: str) -> Iterator[dict[str, Any]]:
    assert main.run(["stats", "--json", *options]) == 0
    return map(json.loads, capsys.readouterr().out.splitlines())


def test_the_command_counts_real_games_or_simulated_ones(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert {one["games"] for one in listed(capsys)} == {2}
    assert {one["games"] for one in listed(capsys, "--simulated")} == {1}
    assert main.run(["stats"]) == 0
    assert "Rounds won" in capsys.readouterr().out


def test_a_deleted_player_stays_deleted_until_restored(journal: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = {one["player"] for one in listed(capsys)}
    gone = min(names)
    assert {one["player"] for one in listed(capsys, "--delete", gone)} == names - {gone}
    assert {one["player"] for one in listed(capsys)} == names - {gone}
    assert {one["player"] for one in listed(capsys, "--restore", gone)} == names


def test_a_name_for_a_spreadsheet_is_never_a_formula(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    header, *lines = game_lines(1)
    evil = json.loads(header)
    evil["seats"][0] = '=HYPERLINK("http://x")'
    (tmp_path / "game.jsonl").write_text("\n".join([text_of(evil), *lines]))
    assert main.run(["stats", str(tmp_path / "game.jsonl"), "--csv"]) == 0
    rows = list(csv.DictReader(StringIO(capsys.readouterr().out.removeprefix("\ufeff"))))
    assert '\'=HYPERLINK("http://x")' in {row["player"] for row in rows}


def test_a_file_of_deleted_players_that_is_no_text_is_named(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    journal.with_name("croupier.journal-left-out").write_bytes(b"\xff\xfe")
    assert main.run(["stats"]) == 2
    assert "croupier.journal-left-out" in capsys.readouterr().err


def test_without_a_game_that_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Journal(tmp_path / "new.journal"):
        pass
    assert main.run(["stats", "--journal", str(tmp_path / "new.journal")]) == 0
    assert capsys.readouterr().out == "There is no game to count yet.\n"


def test_a_player_leaves_the_own_name_out_on_the_page_and_takes_it_in_again(tmp_path: Path) -> None:
    with page(tmp_path, game_lines(1), game_lines(2)) as up:
        player, other = up.client(Person("player", 1)), up.client()
        names = {one["player"] for one in other.get("statistics.json").json()}
        assert "Delete my statistics" in player.get("statistics").text
        assert "Delete my statistics" not in other.get("statistics").text
        assert other.post("statistics/own", data={"do": "leave-out"}).status_code == 403
        assert player.post("statistics/own", data={"do": "everybody"}).status_code == 422
        assert {one["player"] for one in other.get("statistics.json").json()} == names
        assert player.post("statistics/own", data={"do": "leave-out"}).status_code == 303
        assert {one["player"] for one in other.get("statistics.json").json()} == names - {"Player 1"}
        assert '"Player 1"' in other.get("games/2/log.jsonl").text, "the log stays"
        assert "Your statistics are not shown." in player.get("statistics").text
        assert player.post("statistics/own", data={"do": "take-in"}).status_code == 303
        assert {one["player"] for one in other.get("statistics.json").json()} == names


def test_what_cannot_be_kept_or_read_is_said_on_the_page(tmp_path: Path) -> None:
    with page(tmp_path, game_lines(1)) as up:
        client, file = up.client(Person("player", 1)), tmp_path / "croupier.journal-left-out"
        file.write_text("".join(f"{n}\n" for n in range(1000)))
        full = client.post("statistics/own", data={"do": "leave-out"})
        assert (full.status_code, "it has 1000 names already" in full.text) == (507, True)
        file.write_bytes(b"\xff\xfe")
        for answer in (client.get("statistics"), client.post("statistics/own", data={"do": "leave-out"})):
            assert answer.status_code in (503, 507)
            assert "croupier.journal-left-out: cannot be read" in answer.text
        assert file.read_bytes() == b"\xff\xfe"


def test_the_page_has_the_same_figures_as_files(tmp_path: Path) -> None:
    with reached(), page(tmp_path, game_lines(1), game_lines(2)) as up:
        client = up.client()
        data = client.get("statistics.json").json()
        rows = list(csv.DictReader(StringIO(client.get("statistics.csv").content.decode("utf-8-sig"))))
        assert [row["player"] for row in rows] == [one["player"] for one in data]
        assert {one["games"] for one in data} == {2}
        gone = data[0]["player"]
        LeftOut(tmp_path / "croupier.journal").set(gone, is_out=True)
        assert gone not in {one["player"] for one in client.get("statistics.json").json()}
        assert f'<th scope="row">{gone}</th>' not in client.get("statistics").text


def test_score_sheets_beside_the_journal_count_and_damaged_ones_are_named(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    sheet = new_sheet(("Ann", "Player 1"), "g7942-en").with_winner(0).with_hand(1, ["red-7"])
    (journal.parent / "friday.score").write_text(sheet.text)
    (journal.parent / "begun.score").write_text(new_sheet(("Ann", "Zoe"), "g7942-en").text)
    (journal.parent / "damaged.score").write_text("{")
    assert main.run(["stats", "--json"]) == 0
    out, err = capsys.readouterr()
    found = {one["player"]: one for one in map(json.loads, out.splitlines())}
    assert (found["Ann"]["games"], found["Ann"]["rounds_won"], found["Ann"]["points"]) == (1, 1, 7)
    assert found["Player 1"]["games"] == 3
    assert "Zoe" not in found
    assert "damaged.score" in err
    journal.unlink()
    assert {one["player"] for one in listed(capsys)} == {"Ann", "Player 1"}


def test_the_page_of_score_sheets_lists_them_as_games_and_counts_them(tmp_path: Path) -> None:
    (tmp_path / "2026-01-02.score").write_text(
        new_sheet(("Ann", "Ben"), "g7942-en").with_winner(0).with_hand(1, ["red-7"]).text
    )
    (tmp_path / "damaged.score").write_text("{")
    with serve_scores(tmp_path, "127.0.0.1", 0, None) as up, httpx.Client(base_url=up.url, timeout=PATIENCE_S) as site:
        games = site.get("games").text
        assert 'href="/score/2026-01-02"' in games
        assert "This game cannot be shown" in games
        found = {one["player"]: one for one in site.get("statistics.json").json()}
        assert {name: one["rounds_won"] for name, one in found.items()} == {"Ann": 1, "Ben": 0}
    assert not list(tmp_path.glob("*.journal")), "no empty journal beside the sheets"
