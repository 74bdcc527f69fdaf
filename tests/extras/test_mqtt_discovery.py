"""What Home Assistant is told of the table, against its documentation."""

from __future__ import annotations

import re
from typing import Any, Final

import pytest

from croupier.i18n import LANGUAGES, speaking
from croupier_extras.home_automation.home_assistant import RoundCounter, TableState, Topics, discovery, ruling_event
from croupier_rules.cards import FACES
from croupier_rules.referee import Explainer, Header
from croupier_rules.referee.observations import Fault, Overrule, Resumed, Tick
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import GameOver
from croupier_rules.rules import UNWRITTEN, load
from tests.journal.games import game_lines
from tests.longer import seeds
from tests.observers.replayed import header_of, laid_open, replayed

HEADER: Final = Header(ruleset=load("g7942-en"), seats=("Ann", "Ben", "Cat", "Dan"), dealer=3)
START: Final = Position(phase="deal", owed={}, hands=(0,) * 4, scores=(0,) * 4)

SHARED: Final = {"name", "unique_id", "icon", "device", "origin", "availability_topic"}
DOCUMENTED: Final = {
    "sensor": {
        "state_topic", "value_template", "device_class", "options", "state_class", "json_attributes_topic",
        "json_attributes_template",
    },
    "binary_sensor": {
        "state_topic", "value_template", "device_class", "json_attributes_topic", "json_attributes_template"
    },
    "event": {"state_topic", "event_types"},
    "button": {"command_topic", "payload_press"},
}  # fmt: skip
"""By platform: the fields of Home Assistant's own page on it that the table uses; any other would be a slip."""

REQUIRED: Final = {
    "sensor": {"state_topic"}, "binary_sensor": {"state_topic"}, "event": {"state_topic", "event_types"},
    "button": {"command_topic"},
}  # fmt: skip
OF_A_DEVICE: Final = {"identifiers", "name", "manufacturer", "model", "sw_version", "configuration_url"}


def entities(header: Header = HEADER, **more: Any) -> dict[tuple[str, str], dict[str, Any]]:
    """What is announced, by platform and key."""
    said = discovery(Topics("table"), header, "Our table", **more)
    return {(t.split("/")[1], t.split("/")[3]): fields for t, fields in said.items() if fields is not None}


def state(header: Header = HEADER, position: Position = START) -> TableState:
    return TableState(header, position, RoundCounter())


def test_every_entity_has_the_fields_that_home_assistant_documents_and_no_others() -> None:
    for (platform, key), fields in entities(control=True, url="http://192.0.2.1:8300").items():
        assert fields.keys() <= SHARED | DOCUMENTED[platform]
        assert fields.keys() >= REQUIRED[platform] | {"name", "unique_id", "device", "origin", "availability_topic"}
        assert fields["device"].keys() == OF_A_DEVICE
        assert fields["origin"].keys() == {"name", "sw_version"}
        assert fields["unique_id"] == f"croupier_table_{key}"
        if fields.get("device_class") == "enum":
            assert fields["options"]
            assert "state_class" not in fields


def test_topics_are_what_home_assistant_looks_for() -> None:
    for topic in discovery(Topics("table-2"), HEADER, "Our table", prefix="ha"):
        assert re.fullmatch(r"ha/(sensor|binary_sensor|event|button)/table-2/[A-Za-z0-9_-]+/config", topic)


def test_turn_color_direction_score_round_and_faults_are_entities_of_one_device() -> None:
    found = entities()
    for key in ("turn", "color", "direction", "round", "phase", "winner", "score_0", "score_3"):
        assert ("sensor", key) in found
    assert found["binary_sensor", "fault"]["device_class"] == "problem"
    assert {str(fields["device"]) for fields in found.values()} == {str(found["sensor", "turn"]["device"])}


def test_ids_are_the_same_whoever_plays_and_in_every_language() -> None:
    ids = {key: fields["unique_id"] for key, fields in entities().items()}
    for code in LANGUAGES:
        with speaking(code):
            others = entities(Header(ruleset=load("g7942-de"), seats=("Ida", "Jan", "Kai", "Lea")))
        assert {key: fields["unique_id"] for key, fields in others.items()} == ids


def test_scores_of_a_bigger_table_and_a_button_that_is_no_longer_allowed_are_taken_back() -> None:
    said = discovery(Topics("table"), HEADER, "Our table")
    assert [topic.split("/")[3] for topic, fields in said.items() if fields is None] == [
        *(f"score_{n}" for n in range(4, 10)), "pause",
    ]  # fmt: skip


def test_partners_have_one_score_together() -> None:
    partners = Header(ruleset=load("g7942-en"), seats=HEADER.seats, teams=((0, 2), (1, 3)))
    assert entities(partners)["sensor", "score_1"]["name"] == "Score of Ben & Dan"
    assert ("sensor", "score_2") not in entities(partners)


def test_all_that_a_template_asks_for_is_there() -> None:
    now = state().now
    for fields in entities().values():
        for template in (fields.get("value_template", ""), fields.get("json_attributes_template", "")):
            for name in re.findall(r"value_json\.(\w+)", template):
                assert name in now


def test_a_fault_is_reported_until_play_goes_on() -> None:
    table = state()
    table(Fault(1.0, "shoe", "jam"), (), Position(phase="paused", owed={}))
    assert table.now["fault"] == "shoe: jam"
    assert table.now["remedy"] == "A card is jammed in the shoe: remove it, then go on."
    table(Tick(2.0), (), Position(phase="paused", owed={}))
    assert table.now["fault"] == "shoe: jam"
    table(Resumed(3.0), (), Position(phase="turn", owed={}))
    assert table.now["fault"] is None


def test_a_pause_that_somebody_wanted_is_no_fault() -> None:
    table = state()
    table(Fault(1.0, "panel", "pause"), (), Position(phase="paused", owed={}))
    assert (table.now["phase"], table.now["fault"]) == ("paused", None)


def test_the_winner_is_named_until_the_next_game() -> None:
    table = state()
    table(Tick(1.0), (GameOver(UNWRITTEN, seats=(1, 3)),), Position(phase="game_over", owed={}))
    assert table.now["winner"] == "Ben & Dan"


@pytest.mark.parametrize(
    ("phases", "overruled", "number"),
    [
        pytest.param(["deal", "turn", "round_over", "paused", "round_over"], False, 1, id="until-the-next-deal"),
        pytest.param(["deal", "turn", "round_over", "deal", "turn"], False, 2, id="second-round"),
        pytest.param(["round_over", "paused", "deal", "round_over", "upcard"], False, 3, id="third-round"),
        pytest.param(["deal", "round_over", "turn"], True, 1, id="the-end-was-taken-back"),
        pytest.param(["deal", "round_over", "game_over"], False, 1, id="game-over"),
    ],
)
def test_rounds_are_counted(phases: list[str], overruled: bool, number: int) -> None:
    rounds = RoundCounter()
    for phase in phases:
        told = Overrule(0.0, undo=1) if overruled else Tick(0.0)
        rounds(told, (), Position(phase=phase, owed={}))
    assert rounds.number == number


@pytest.mark.parametrize("seed", seeds(1, 33, short=3, long=8))
def test_no_hidden_card_is_ever_published(seed: int) -> None:
    lines = game_lines(seed, rounds=2, open_hands=True)
    header = header_of(lines)
    explainer = Explainer(header)
    table = state(header)
    said: list[str] = []

    def listen(told: Any, rulings: Any, position: Position) -> None:
        table(told, rulings, position)
        said.extend([str(table.now), *(str(ruling_event(ruling, explainer)) for ruling in rulings)])

    opened: set[str] = set()
    for observation in replayed(lines, listen):
        opened |= laid_open(observation)
        faces = {face for face in FACES if re.search(rf"(?<![\w-]){re.escape(face)}(?![\w*-])", " ".join(said))}
        # Words that are both a card and a cause: "draws, because of the wild-draw4" (lies open then, too).
        assert faces - {"wild"} <= opened
        said.clear()
    assert table.now["round"] == 2


def test_the_colors_are_those_of_the_deck() -> None:
    suits = entities(Header(ruleset=load("mau-mau-en"), seats=("Ann", "Ben")))
    assert suits["sensor", "color"]["options"] == ["clubs", "diamonds", "hearts", "spades"]
