"""`croupier demo`: what is read, refereed and scored is what really happened at the simulated table."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Collection
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import cv2
import numpy as np
import pytest

from cardsight.geometry import Image
from cardsight.sighting import Reading
from croupier.cli.main import run
from croupier.console import Console
from croupier.i18n import LANGUAGES, _, speaking
from croupier.journal import Journal, read_lines
from croupier.runtime.session import begin
from croupier.runtime.terminal import format_event
from croupier_rules.cards import DECKS
from croupier_rules.referee import Explainer, Header, Referee, parse_header, parse_observation
from croupier_rules.referee.observations import Play
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import Illegal, Turn
from croupier_rules.referee.verdict import VERDICT
from croupier_rules.rules import UNWRITTEN, load
from croupier_rules.rules.ruleset import names
from croupier_sim.demo.faults import MAY_PASS_UNNOTICED
from croupier_sim.demo.game import Demo, DemoOptions
from croupier_sim.demo.judge import Judge
from croupier_sim.demo.picture import color_text
from croupier_sim.demo.presentation import View, _voice
from croupier_sim.people import Objections
from croupier_sim.players import Act
from croupier_sim.table import SimTable
from tests.longer import few
from tests.runtime.rounds import begin_demo, play, play_with_the_real_reader
from tests.sim.standin import TruthReader

FIELDS = ["rounds", "cards_read", "cards_misread", "rulings", "dealt", "drawn", "faults", "winner", "scores",
          "simulated_s", "wall_s", "firmware", "habits", "wrongs", "troubles"]  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("seed", few(range(1, 4), 1))
def test_a_round_is_read_and_scored_as_it_really_was(seed: int) -> None:
    played = play_with_the_real_reader(seed)
    assert not played.gave_up
    assert played.summary["cards_misread"] == 0
    assert played.truth_agrees
    assert played.summary["rounds"] == 1
    assert [score > 0 for score in played.summary["scores"]].count(True) == 1
    assert played.summary["scores"][played.summary["winner"]] == max(played.summary["scores"])


@pytest.mark.long
def test_the_command_closes_with_the_line_of_the_contract_and_keeps_log_and_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, picture = tmp_path / "game.jsonl", tmp_path / "seen.png"
    status = run(["demo", "--headless", "--seed", "20", "--json", "--log", str(log), "--picture", str(picture)])
    (line,) = capsys.readouterr().out.splitlines()
    told = json.loads(line)
    assert status == 0
    assert list(told) == FIELDS
    assert (told["rounds"], told["cards_misread"], told["dealt"]) == (1, 0, 28)
    assert told["firmware"].startswith(("micropython unix ", "cpython "))
    seen = cv2.imread(str(picture))
    assert seen is not None
    assert seen.shape == (720, 1280, 3)

    lines = [one.data for one in read_lines(log.read_bytes().splitlines(keepends=True))]
    referee = Referee(parse_header(lines[0]))
    for one in lines[1:]:
        referee.observe(parse_observation(one, len(told["scores"])))
    assert referee.position()["scores"] == told["scores"]
    assert [line["t"] for line in lines[1:]] == sorted(line["t"] for line in lines[1:])
    observed, resumed = ({key: line[key] for key in line if key not in VERDICT} for line in lines[1:3])
    assert observed == {"obs": "fault", "t": 0.0, "device": "table", "kind": "simulation"}
    assert resumed == {"obs": "resumed", "t": 0.0}


@pytest.mark.long
def test_the_same_seed_plays_the_same_game_and_another_seed_another() -> None:
    first, again, other = (play(DemoOptions(seed=seed, seats=3)).log for seed in (7, 7, 6))
    assert first == again
    assert first != other


@pytest.mark.long
def test_the_deal_passes_on_and_scores_add_up_over_rounds() -> None:
    played = play(DemoOptions(seed=2, seats=3, rounds=2))
    assert played.truth_agrees
    assert played.summary["rounds"] == 2
    assert played.summary["dealt"] == 2 * 3 * 7
    assert [one["obs"] for one in played.log[1:]].count("upcard") >= 2


@pytest.mark.long
def test_every_fault_is_reported_and_healed_and_the_score_is_true_all_the_same() -> None:
    played = play(DemoOptions(seed=1, faults=True))
    troubles = played.summary["troubles"]
    assert not played.gave_up
    assert played.truth_agrees
    assert len({one["fault"] for one in troubles}) >= 15
    assert [one for one in troubles if one["reported_after"] is None and one["fault"] not in MAY_PASS_UNNOTICED] == []
    assert [one for one in troubles if one["healed_after"] is None] == []
    assert all(one["reported_after"] < 2 for one in troubles if one["fault"].startswith("camera"))
    assert played.summary["dealt"] == 28  # nothing dealt twice
    said = Counter(one["obs"] for one in played.log[1:])
    assert said["overrule"] >= played.summary["cards_misread"] > 0


@pytest.mark.long
@pytest.mark.parametrize(
    "seed",
    few([
        pytest.param(27, id="0-laid-exactly-on-8-and-pile-recycled-during-a-pause"),
        pytest.param(50, id="starter-returned-and-its-like-turned-up"),
        pytest.param(103, id="last-card-misread"),
        pytest.param(51, id="dark-when-hands-are-due"),
        pytest.param(84, id="stuck-button-pressed"),
        pytest.param(104, id="misread-as-the-card-below"),
    ], 1),
)  # fmt: skip
def test_with_faults_no_round_stands_still_or_ends_untrue_and_each_fault_is_reported(seed: int) -> None:
    played = play_with_the_real_reader(seed, faults=True)
    assert not played.gave_up
    assert played.truth_agrees
    for one in played.summary["troubles"]:
        assert one["reported_after"] is not None or one["fault"] in MAY_PASS_UNNOTICED, one
        assert one["healed_after"] is not None, one
    assert all(done == ruled for done, ruled in played.summary["wrongs"].values())


@pytest.mark.long
def test_what_cheats_and_hasty_people_do_at_first_is_ruled() -> None:
    played = play(DemoOptions(seed=1, seats=2, habits=("hasty", "cheating"), firmware=False), most=18)
    wrongs = played.summary["wrongs"]
    assert wrongs.keys() >= {"no-match", "wrong-phase"}
    assert all(done == ruled for done, ruled in wrongs.values())


@pytest.mark.long
@pytest.mark.parametrize("seed", few([2, 3, 4, 8], 1))
def test_what_cheats_and_hasty_people_do_is_ruled(seed: int) -> None:
    played = play(DemoOptions(seed=seed, habits=("hasty", "cheating", "hasty", "cheating"), firmware=False))
    assert not played.gave_up
    assert played.truth_agrees
    assert played.summary["wrongs"].keys() >= {"no-match", "wrong-phase", "not-your-turn"}
    assert all(done == ruled for done, ruled in played.summary["wrongs"].values())


@pytest.mark.long
@pytest.mark.parametrize("seed", [4])
def test_whose_card_it_was_people_say_where_the_arm_that_laid_it_is_not_seen(seed: int) -> None:
    hasty = DemoOptions(seed=seed, habits=("hasty", "cheating", "hasty", "cheating"), firmware=False)
    played = play(hasty, fps=4)
    done, ruled = played.summary["wrongs"]["not-your-turn"]
    assert not played.gave_up
    assert played.truth_agrees
    assert done == ruled > 0
    assert "overrule" in {one["obs"] for one in played.log[1:]}


@dataclass(frozen=True)
class Sheet:
    """A round by one document: what must be met in it, so that what only this document has is really played."""

    ruleset: str
    seed: int
    met: frozenset[str] = frozenset()
    seats: int = 4


SHEETS = (
    Sheet("all-wild-en", 1, frozenset({"swap"})),
    Sheet("box112-en", 6, frozenset({"wild-shuffle", "wild-blank", "redealt"})),
    Sheet("classic-hu", 2),
    Sheet("crazy-eights-en", 3, frozenset({"diamonds-8"}), seats=3),
    Sheet("g7942-de", 17),
    Sheet("g7942-el", 8, frozenset({"challenge"})),
    Sheet("g7942-en", 20),
    Sheet("g7942-es", 2, seats=2),
    Sheet("g7942-fr", 7, seats=2),
    Sheet("g7942-it", 1),
    Sheet("g7942-nl", 2),
    Sheet("g7942-pt", 4, seats=3),
    Sheet("g7942-sv", 16),
    Sheet("house-rules-pl", 15, frozenset({"house_rule", "acted", "wild-house"})),
    Sheet("mau-mau-en", 3, frozenset({"hearts-7"}), seats=3),
    Sheet("no-mercy-en", 11, frozenset({"discarded"})),
    Sheet("official-el", 11, frozenset({"wild-shuffle", "wild-blank", "redealt"})),
    Sheet("swap-hands-en", 3, frozenset({"wild-swap", "wild-blank", "swap"}), seats=3),
)


def test_every_document_is_among_them() -> None:
    assert [sheet.ruleset for sheet in SHEETS] == list(names())


SPECIAL: Final = sorted(SHEETS, key=lambda sheet: not sheet.met)
"""Those first in which something must be met that other documents do not have."""


@pytest.mark.long
@pytest.mark.parametrize("sheet", few(SPECIAL, 7), ids=lambda sheet: sheet.ruleset)
def test_a_round_is_played_to_its_end_by_every_document(sheet: Sheet) -> None:
    played = play(DemoOptions(seed=sheet.seed, ruleset=sheet.ruleset, seats=sheet.seats, firmware=False))
    said = Counter(word for one in played.log[1:] for word in (one["obs"], one.get("card")))
    assert not played.gave_up
    assert played.truth_agrees
    assert played.summary["rounds"] == 1
    assert played.summary["cards_misread"] == 0
    assert sheet.met <= said.keys()
    is_counted = load(sheet.ruleset).value("goal") == "points"
    assert (max(played.summary["scores"]) > 0) == is_counted


@pytest.mark.long
def test_where_a_round_is_the_game_several_rounds_are_counted() -> None:
    played = play(DemoOptions(seed=22, ruleset="official-el", seats=2, rounds=2))
    assert not played.gave_up
    assert played.truth_agrees
    assert played.summary["rounds"] == 2
    assert sum(played.summary["scores"]) > 0


def wrong_in_hands(number: str, other: str) -> type[TruthReader]:
    class Wrong(TruthReader):
        """Takes every one of a number in a hand for another."""

        def read(self, bgr: Image, /, faces: Collection[str] | None = None, **how: Any) -> Reading:
            reading = super().read(bgr, faces, **how)
            if bgr.shape[1] < 500:  # the pile
                return reading
            cards = (replace(card, face=card.face.replace(f"-{number}", f"-{other}")) for card in reading.cards)
            return replace(reading, cards=tuple(cards))

    return Wrong


@pytest.mark.long
@pytest.mark.parametrize("seed", few([3, 6, 7], 1))
def test_people_set_right_a_hand_that_is_misread_again_and_again(seed: int) -> None:
    played = play(DemoOptions(seed=seed), wrong_in_hands("1", "7"))
    assert played.summary["cards_misread"] > 0
    assert played.truth_agrees
    assert played.summary["rounds"] == 1


@pytest.mark.long
def test_a_misread_hand_to_which_nobody_objects_is_reported_by_the_comparison_with_the_truth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Objections, "read_hand", lambda *_: None)
    played = play(DemoOptions(seed=7, seats=3), wrong_in_hands("2", "9"))
    assert played.summary["cards_misread"] > 0
    assert played.summary["rounds"] == 1
    assert not played.truth_agrees


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param(["--seats", "1"], "--seats", id="one-seat"),
        pytest.param(["--seats", "11"], "--seats", id="eleven-seats"),
        pytest.param(["--rounds", "0"], "--rounds", id="no-round"),
        pytest.param(["--habits", "sly"], "there is no sly", id="no-such-habit"),
        pytest.param(["--habits", "slow,slow"], "2 names for 4 seats", id="habits-for-other-seats"),
        pytest.param(["--ruleset", "g7942-xx"], "g7942-xx", id="no-such-ruleset"),
        pytest.param(["--headless", "--picture", "seen.txt"], "expected a name that ends in", id="no-picture"),
        pytest.param(["--headless", "--picture", "none/seen.png"], "there is no folder", id="no-folder"),
        pytest.param(
            ["--headless", "--log", "taken.jsonl"], "--log taken.jsonl: this file already exists", id="log-exists"
        ),
        pytest.param(["--headless", "--log", "none/log.jsonl"], "No such file or directory", id="no-log-folder"),
    ],
)
def test_bad_input_is_refused_in_one_line(
    arguments: list[str], complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken.jsonl").write_text("mine\n")
    assert run(["demo", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert complaint in captured.err
    assert (tmp_path / "taken.jsonl").read_text() == "mine\n"


def test_a_voice_also_says_what_people_are_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said: list[str] = []
    speaker = SimpleNamespace(
        say=lambda *cues: said.extend(cue.text for cue in cues),
        prepare=lambda sentences: None,
        close=lambda last_words_s: None,
    )
    monkeypatch.setattr("croupier_extras.voice.plugin.Speaker", lambda *_: speaker)
    with (
        closing(Demo(DemoOptions(seats=2, firmware=False), TruthReader)) as demo,
        Journal(tmp_path / "croupier.journal") as journal,
        ExitStack() as stack,
    ):
        _voice(demo, begin(journal, demo.header, now=0.0), Console(), stack)
        begin_demo(demo, journal)
        demo.run.begin_round()
    assert said == ["Collect all cards and shuffle them for the next round."]


POSITION = Position(
    phase="turn", turn=1, top="red-7", color="blue", hands=(3, 4), scores=(0, 12), owed={0: 2}, dealer=0
)
EXPLAINER = Explainer(Header(ruleset=load("g7942-en"), seats=("Ann", "Ben"), dealer=0))
PLAYED = Play(3.0, card="red-7", u=0.2)


@pytest.mark.parametrize(
    ("acts", "wrongs"),
    [
        pytest.param([Act(1.0, 1, "no-match")], {"no-match": [1, 1]}, id="refused"),
        pytest.param([Act(3.1, 1, "no-match")], {"no-match": [1, 1]}, id="when it touched is not known so well"),
        pytest.param([Act(-1.1, 1, "no-match")], {"no-match": [1, 1]}, id="laid while the camera saw nothing"),
        pytest.param([Act(-1.3, 1, "no-match")], {"no-match": [1, 0]}, id="too long ago"),
        pytest.param([Act(1.0, 0, "no-match")], {"no-match": [1, 0]}, id="another seat was refused"),
        pytest.param([Act(1.0, 1, "not-your-turn")], {"not-your-turn": [1, 0]}, id="refused for something else"),
        pytest.param([Act(1.0, 1, "")], {"kept": [1, 0]}, id="refused though nothing was laid"),
        pytest.param(
            [Act(0.5, 1, ""), Act(2.0, 1, "no-match")], {"kept": [1, 1], "no-match": [1, 1]}, id="first only shown"
        ),
    ],
)
def test_what_the_referee_says_is_held_against_what_was_done(acts: list[Act], wrongs: dict[str, list[int]]) -> None:
    table = SimTable(2, np.random.default_rng(1), ())
    table.touched.append(3.0)
    table.laid.append("red-7")
    judge = Judge(table, acts)
    judge(PLAYED, (Illegal(UNWRITTEN, 1, "no-match"),), POSITION)
    assert judge.wrongs() == wrongs
    assert (judge.cards_read, judge.cards_misread) == (1, 0)


def test_a_ruling_on_a_card_that_was_misread_does_not_count_against_who_only_showed_another() -> None:
    table = SimTable(2, np.random.default_rng(1), ())
    table.touched.append(3.0)
    table.laid.append("red-1")
    judge = Judge(table, [Act(1.0, 1, "")])
    judge(PLAYED, (Illegal(UNWRITTEN, 1, "no-match"),), POSITION)
    assert judge.wrongs() == {"kept": [1, 1]}


def test_the_true_points_of_playing_cards_are_those_of_crazy_eights() -> None:
    table = SimTable(2, np.random.default_rng(1), tuple(DECKS["crazy-eights"]))
    table.hands = [[], ["spades-ace", "hearts-king", "clubs-8", "diamonds-7"]]
    assert Judge(table, []).true_result() == (0, 68)


def shown(view: View, width: int = 100) -> str:
    console = Console(width=width, record=True, file=io.StringIO())
    console.print(view.render())
    return console.export_text()


def test_the_view_is_always_labeled_and_says_color_in_word_and_shape() -> None:
    table = SimTable(2, np.random.default_rng(1), tuple(DECKS["g7942"]))
    view = View(("Ann", "Ben"), EXPLAINER, table)
    assert "SIMULATION" in shown(view)
    view(PLAYED, (Turn(UNWRITTEN, 1, "left"),), POSITION)
    text = shown(view)
    assert "SIMULATION" in text
    assert "■ blue" in text
    assert "● red 7" in text
    assert EXPLAINER.explain(Turn(UNWRITTEN, 1, "left")).text in text


@pytest.mark.parametrize("seats", [2, 4, 10])
def test_the_view_fits_an_ordinary_terminal_and_ends_with_the_newest_ruling(seats: int) -> None:
    view = View(tuple(f"Player {seat}" for seat in range(seats)), EXPLAINER, SimTable(2, np.random.default_rng(1), ()))
    position = replace(POSITION, hands=(12,) * seats, scores=(499,) * seats, owed={0: 10})
    for number in range(20):
        view(replace(PLAYED, t=float(number)), (Turn(UNWRITTEN, 1, "left"),), position)
    lines = shown(view, width=80).splitlines()
    assert len(lines) <= 24
    assert "19.0 s" in lines[-2]


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_view_fits_and_says_whose_turn_it_is_in_every_language(code: str) -> None:
    speaker = Explainer(EXPLAINER._header, code)
    view = View(("Ann", "Ben"), speaker, SimTable(2, np.random.default_rng(1), ()))
    with speaking(code):
        for number in range(20):
            view(replace(PLAYED, t=float(number)), (Turn(UNWRITTEN, 1, "left"),), POSITION)
        lines = shown(view, width=80).splitlines()
        words = (speaker.card("red-7"), _("to the left"), _("{name}’s turn", name="Ben"))
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert "19.0 s" in lines[-2]
    text = "\n".join(lines)
    assert [word for word in words if word not in text] == [], "words that are cut off"
    assert "…" not in text


def test_every_color_has_a_shape_of_its_own() -> None:
    assert len({color_text(color).plain[0] for color in ("red", "yellow", "green", "blue", None)}) == 5


def test_what_is_seen_and_ruled_is_said() -> None:
    turn = Turn(UNWRITTEN, 1, "left")
    assert format_event(PLAYED, (turn,), EXPLAINER) == ["[red 7]", EXPLAINER.explain(turn).text]
