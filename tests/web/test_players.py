"""Players who come, go and swap seats on the page: names at each moment, and whose keys are whose."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event

import pytest

from croupier.game_views.story import Story
from croupier.i18n import speaking
from croupier.journal import text_of
from croupier.table_api.live_table import LiveLine
from croupier.web.accounts import Person
from croupier_rules.referee import Referee, parse_header
from croupier_rules.referee.corrections import ChangePlayers, to_observations
from croupier_rules.referee.observations import Fault, Overrule, Uno
from croupier_rules.referee.observations import to_json as observation_to_json
from croupier_rules.referee.verdict import VERDICT, verdict_to_json
from tests.patience import PATIENCE_S
from tests.web.tables import page

HEADER = {
    "log": "croupier/1", "ruleset": "g7942-en", "seats": ["Ann", "Ben", "Cat"], "dealer": 2,
    "given": {"turn": 0, "top": "red-7"},
}  # fmt: skip
CHANGES: tuple[ChangePlayers | Uno, ...] = (
    ChangePlayers("swap", 0, 2), ChangePlayers("leave", 1), Uno(3.0, 0), ChangePlayers("join", 1, name="Eve"),
)  # fmt: skip


def lines() -> list[str]:
    referee, told = Referee(parse_header(HEADER)), list[str]()
    for n, change in enumerate(CHANGES, start=1):
        observations = (change,) if isinstance(change, Uno) else to_observations(change, referee, float(n))
        for one in observations:
            before = referee.position()
            line = {**observation_to_json(one), **verdict_to_json(referee.observe(one), before, referee.position())}
            told.append(text_of(line))
    return told


def test_each_moment_has_the_names_of_its_time_also_where_lines_are_taken_back() -> None:
    story = Story(json.dumps(HEADER))
    story.extend(lines())
    before, swapped, left, _called, joined = story.moments
    assert before.names == ("Ann", "Ben", "Cat")
    assert swapped.names == left.names == ("Cat", "Ben", "Ann")
    assert joined.names == story.header.seats == ("Cat", "Eve", "Ann")
    assert [story.describe(one).seen for one in (swapped, left, joined)] == [
        "Cat and Ann swap seats.", "Ben leaves the game.", "Eve joins the game.",
    ]  # fmt: skip
    unjudged = ({name: value for name, value in json.loads(line).items() if name not in VERDICT} for line in lines())
    again = Story(json.dumps(HEADER), *map(json.dumps, unjudged))
    assert [one.names for one in again.moments] == [one.names for one in story.moments]
    again.extend([json.dumps(observation_to_json(Overrule(9.0, undo=1)))])
    assert again.header.seats == ("Cat", "Ben", "Ann")


def test_a_pause_and_the_choice_of_the_dealer_are_told_in_words_of_the_table() -> None:
    header = {name: value for name, value in HEADER.items() if name != "given"} | {"dealer": None}
    story = Story(json.dumps(header))
    for observation in (Overrule(1.0, set={"dealer": 1}), Fault(2.0, device="table", kind="restarted")):
        story.extend([json.dumps(observation_to_json(observation))])
    with speaking("de"):
        assert [story.describe(one).seen for one in story.moments[1:]] == [
            "Ben gibt.",
            (
                "Das Spiel steht still. Das Programm wurde neu gestartet: "
                "Vergleicht den Tisch mit der Seite und macht weiter."
            ),
        ]


def test_the_cause_of_a_pause_is_told_once_on_a_phone(tmp_path: Path) -> None:
    restarted = json.dumps(observation_to_json(Fault(2.0, device="table", kind="restarted")))
    with page(tmp_path, (json.dumps(HEADER), restarted)) as made:
        shown, _spoken = made.client(Person("player", 0)).get("games/1/seats/0").text.split('<ol id="news"')
    assert shown.count("The program was restarted") == 1
    assert "press Go on" in shown


def test_the_keys_of_players_who_swap_seats_go_with_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with page(tmp_path, (json.dumps(HEADER),)) as made:
        ann, ben = made.client(Person("player", 0)), made.client(Person("player", 1))
        has_moved = Event()
        monkeypatch.setattr(made.accounts, "_on_change", has_moved.set)
        swap = lines()[0]
        made.journal.append(1, json.loads(swap))
        made.server.append(LiveLine(1, 1, swap, "turn"))
        assert has_moved.wait(PATIENCE_S)
        leave = {"does": "leave", "seat": "2", "line": "1"}
        assert "Log in" not in ann.get("games/1/seats/2").text
        assert 'href="/games/1/seats/2"' in ann.get("games/1/seats/0").text
        assert ben.post("actions/player", data=leave).status_code == 403
        assert ann.post("actions/player", data=leave).status_code == 204
        assert made.table.commands == [ChangePlayers("leave", 2, line=1)]


def test_what_cannot_be_now_is_refused_on_the_page_with_the_reason(tmp_path: Path) -> None:
    header = HEADER | {"given": {"turn": 0, "top": "red-7", "owed": {"1": 2}}}
    with page(tmp_path, (json.dumps(header),)) as made:
        client = made.client(Person("referee"))
        for language, why in {"en": "Ben is to draw first.", "de": "Ben muss zuerst ziehen."}.items():
            answer = client.post(
                "actions/player",
                data={"does": "swap", "seat": "0", "other": "1"},
                headers={"accept-language": language},
            )
            assert (answer.status_code, why in answer.text) == (409, True)
        assert made.table.commands == []


def test_nobody_joins_under_the_name_of_another_player(tmp_path: Path) -> None:
    header = HEADER | {"given": {"turn": 0, "top": "red-7", "out": [2]}}
    with page(tmp_path, (json.dumps(header),)) as made:
        client = made.client(Person("referee"))
        join = {"does": "join", "seat": "2"}
        for name, why in {"ann": "appears twice", "\u0410nn": "looks like", "A=B": "no “=” in a name"}.items():
            answer = client.post("actions/player", data=join | {"name": name})
            assert (answer.status_code, why in answer.text) == (422, True)
        assert made.table.commands == []
        assert client.post("actions/player", data=join | {"name": " Zoe\u0308 "}).status_code == 204
        assert made.table.commands == [ChangePlayers("join", 2, name="Zo\u00eb")]
