"""Scripted events, looks, reports and presses in; observations out, in the order of their time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from cardsight.sighting import Corners, Sighting
from cardsight.track.events import (
    CameraFailed,
    CameraWell,
    Doubted,
    Event,
    Lifted,
    Pushed,
    Recognized,
    TakenAway,
    Touched,
)
from cardsight.track.zone import ZoneView
from croupier.commands import ChooseDealer, MakeHouseRule, NameCard
from croupier.errors import CannotCorrect
from croupier.events import (
    Amended,
    CommandGiven,
    CorrectionDue,
    DeviceBack,
    DeviceLost,
    DrawRequest,
    Go,
    HandSeen,
    JobDone,
    Press,
    SequencedEvent,
    ShoeReport,
    UnsureCard,
)
from croupier.runtime.camera import HOLD_S, settled_until
from croupier.runtime.inbox import Inbox
from croupier.runtime.interlocks import NOTICED_S, Interlocks
from croupier.runtime.interpreter import SURE_SEAT, Expected
from croupier.runtime.open_hands import HandScan
from croupier.runtime.sequencer import Sequencer
from croupier_rules.referee import Referee, corrections
from croupier_rules.referee.corrections import SetTo, TopIs
from croupier_rules.referee.fields import ObservationFields
from croupier_rules.referee.observations import (
    Dealt,
    Drew,
    Fault,
    Observation,
    Overrule,
    Play,
    Redealt,
    Resumed,
    Uno,
    to_json,
)
from tests.referee.games import header

FRAME_S = 0.25
PLACE: Corners = ((150, 120), (250, 120), (250, 280), (150, 280))


class FakePile:
    """A discard pile on which something may be open."""

    def __init__(self) -> None:
        self.unsettled_since: float | None = None
        self.corrected: list[str] = []
        self.bared = 0

    def keep_only_top(self) -> None:
        self.bared += 1

    def correct(self, face: str) -> None:
        self.corrected.append(face)


class Script:
    """Plays events on the pile to a sequencer, one a second, and keeps what it tells."""

    def __init__(self, *, has_shoe: bool = True, waits_for_go: bool = False, **expected: Any) -> None:
        self.pile = FakePile()
        self.inbox = Inbox()
        interlocks = Interlocks(needs_go=waits_for_go)
        self.sequencer = Sequencer(self.inbox, self.pile, has_shoe=has_shoe, interlocks=interlocks)
        self.sequencer.expect(Expected(**({"phase": "turn"} | expected)))
        self.t = 0.0
        self.emitted: list[SequencedEvent] = []
        self.standing: list[Observation] = []
        self.goes_on = False

    def touch(self, face: str, **more: Any) -> None:
        """A card is laid now, and told half a second later."""
        given: dict[str, Any] = {"t": self.t, "u": 0.02, "face": face, "corners_px": PLACE}
        touched = Touched(**(given | more))
        self.t = round(self.t + 0.5, 3)
        self.see(touched)
        self.wait(0.5)

    def see(self, *events: Event) -> None:
        self.inbox.put(*events)
        self.wait(0)

    def wait(self, seconds: float) -> None:
        self.t = round(self.t + seconds, 3)
        self.collect()
        self.pull()

    def pull(self) -> None:
        """Take every event that is due; when play goes on, seat 0 is on turn."""
        while (told := self.sequencer.pull()) is not None:
            self.emitted += self._corrected(told) if isinstance(told, CorrectionDue) else [told]
            if isinstance(told, Observation):
                self.standing.append(told)
            if self.goes_on and isinstance(told, Resumed):
                self.sequencer.expect(replace(self.sequencer.expected, phase="turn", turn=0, is_paused=False))

    def _corrected(self, due: CorrectionDue) -> list[SequencedEvent]:
        """A correction as the game carries it out; one that cannot be is dropped."""
        try:
            record = cast("Referee", SimpleNamespace(standing=lambda: tuple(self.standing), undo_of_players=None))
            lines = corrections.to_observations(due.correction, record, due.t, due.u)
        except CannotCorrect:
            return []
        undone = sum(one.undo or 0 for one in lines if isinstance(one, Overrule))
        while undone:
            undone -= not isinstance(self.standing.pop(), Overrule)
        self.standing += [one for one in lines if not (isinstance(one, Overrule) and one.undo)]
        self.sequencer.reset(self.standing)
        return [Amended(due.t, lines)] if lines else []

    def reset(self, record: Sequence[Observation]) -> None:
        """The record before the script."""
        self.standing = list(record)
        self.sequencer.reset(record)

    def collect(self) -> None:
        """Everything that has happened is known now."""
        for event in self.inbox.collect():
            self.sequencer.arrive(event)
        self.inbox.mark("camera", settled_until(self.t, self.pile.unsettled_since))

    @property
    def observations(self) -> list[ObservationFields]:
        told = [one.observation if isinstance(one, JobDone) else one for one in self.emitted]
        return [{**to_json(one)} for one in told if isinstance(one, Observation)]

    @property
    def plays(self) -> list[str]:
        return [told["card"] for told in self.observations if told["obs"] == "play"]


def test_a_card_on_the_pile_is_a_play_with_its_own_time() -> None:
    script = Script()
    script.touch("red-7", t=0.25, u=0.017)
    assert script.observations == [{"obs": "play", "t": 0.25, "u": 0.017, "card": "red-7"}]


def test_the_first_card_is_the_upcard() -> None:
    script = Script(phase="upcard")
    script.touch("blue-2")
    assert [told["obs"] for told in script.observations] == ["upcard"]


@pytest.mark.parametrize(
    ("seat", "confidence", "told"),
    [
        pytest.param(1, 1.0, None, id="on-turn"),
        pytest.param(2, SURE_SEAT, 2, id="surely-another"),
        pytest.param(2, SURE_SEAT - 0.01, None, id="perhaps-another"),
        pytest.param(None, 0.0, None, id="nobody-knows"),
    ],
)
def test_a_card_is_laid_by_the_seat_on_turn_unless_the_hand_surely_was_another_s(
    seat: int | None, confidence: float, told: int | None
) -> None:
    script = Script(turn=1)
    script.touch("red-7", seat=seat, seat_confidence=confidence)
    assert script.observations[0].get("seat") == told


def test_two_cards_laid_at_once_are_those_of_one_hand_though_the_turn_has_passed_on() -> None:
    script = Script(turn=1)
    laid = [Touched(t=0.0, u=0.02, face=face, corners_px=PLACE) for face in ("red-7", "red-9")]
    script.inbox.put(*laid)
    script.t = 1.0
    script.collect()
    first = script.sequencer.pull()
    script.sequencer.expect(replace(script.sequencer.expected, turn=2))
    second = script.sequencer.pull()
    assert isinstance(first, Play)
    assert isinstance(second, Play)
    assert (first.card, first.seat, second.card, second.seat) == ("red-7", None, "red-9", 1)


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(Lifted(0.1, 0.02, "red-7"), id="taken-back"),
        pytest.param(Pushed(0.1), id="pushed"),
        pytest.param(TakenAway(0.1, "red-7"), id="taken-away-while-cards-are-left-to-draw"),
    ],
)
@pytest.mark.parametrize("has_shoe", [True, False], ids=["with-shoe", "without-shoe"])
def test_what_is_no_play_is_not_reported(event: Event, has_shoe: bool) -> None:
    script = Script(has_shoe=has_shoe)
    script.see(event)
    script.wait(2)
    assert script.emitted == []


@pytest.mark.parametrize(("has_shoe", "told"), [(True, []), (False, ["recycled"])], ids=["with-shoe", "without-shoe"])
def test_without_a_shoe_the_camera_sees_the_discard_pile_become_the_draw_pile(has_shoe: bool, told: list[str]) -> None:
    script = Script(has_shoe=has_shoe, needs_cards=True)
    script.see(TakenAway(0.1, "red-7"))
    script.wait(1)
    assert [one["obs"] for one in script.observations] == told


def test_what_stays_unreadable_is_reported_as_doubt_with_the_expected_candidates_first() -> None:
    script = Script(faces=frozenset({"red-9"}))
    script.touch("?", candidates=(("red-6", 0.5), ("red-9", 0.4)))
    assert script.plays == ["?"]
    assert [told.candidates for told in script.emitted if isinstance(told, UnsureCard)] == [("red-9", "red-6")]


def test_what_each_card_may_show_is_kept_for_a_correction() -> None:
    script = Script(faces=frozenset({"red-9", "green-3"}))
    script.touch("green-8", runners_up=("green-6", "green-3"))
    script.touch("?", candidates=(("red-6", 0.5), ("red-9", 0.4)))
    assert [faces for _t, faces in script.sequencer.sightings] == [
        ("green-3", "green-8", "green-6"), ("red-9", "red-6"),
    ]  # fmt: skip
    assert [t for t, _faces in script.sequencer.sightings] == [one["t"] for one in script.observations]


def test_a_card_that_reads_otherwise_when_it_was_pushed_is_asked_about_and_no_play() -> None:
    script = Script()
    script.touch("red-1")
    script.see(Doubted(script.t, ("red-7", "red-1")))
    script.wait(1)
    assert script.plays == ["red-1"]
    assert [told.candidates for told in script.emitted if isinstance(told, UnsureCard)] == [("red-7", "red-1")]


def test_a_sure_reading_is_never_bent_to_what_is_expected() -> None:
    script = Script(faces=frozenset({"red-9"}))
    script.touch("red-6")
    assert script.plays == ["red-6"]


def test_play_is_paused_while_the_camera_sees_nothing_and_goes_on_by_itself() -> None:
    script = Script()
    script.see(CameraFailed(1.0, "covered"))
    script.wait(1.5)
    script.sequencer.expect(Expected(phase="turn", is_paused=True))
    script.inbox.put(Press(t=2.0, seat=0, key="go"))
    script.wait(1)
    assert script.observations == [{"obs": "fault", "t": 1.0, "device": "camera", "kind": "covered"}]
    script.see(CameraWell(3.0))
    script.wait(2)
    assert script.observations[1:] == [{"obs": "resumed", "t": 3.0}]


def test_a_camera_that_is_well_again_does_not_clear_the_shoe_s_fault() -> None:
    script = Script(is_paused=True)
    script.inbox.put(ShoeReport(t=0.5, kind="fault", fault="jam"))
    script.see(CameraFailed(1.0, "dark"), CameraWell(3.0))
    script.wait(4)
    assert [told["obs"] for told in script.observations] == ["fault", "fault"]


def test_a_person_corrects_a_card_and_what_came_after_is_repeated() -> None:
    script = Script()
    script.touch("red-6")
    script.inbox.put(Press(t=script.t, seat=2, key="uno"))
    script.wait(1)
    script.inbox.put(CommandGiven(t=script.t, command=NameCard("red-9")))
    script.wait(1)
    (amended,) = [told for told in script.emitted if isinstance(told, Amended)]
    assert [to_json(one) for one in amended.observations] == [
        {"obs": "overrule", "t": amended.t, "undo": 2},
        {"obs": "play", "t": amended.t, "u": 0.001, "card": "red-9"},
        {"obs": "uno", "t": amended.t + corrections.SPAN_S, "seat": 2},
    ]


@pytest.mark.parametrize("what", [CommandGiven(t=2.0, command=NameCard("red-6")), Recognized(2.0, "red-6")])
def test_what_a_person_set_right_stays_when_the_card_before_turns_out_to_be_another(
    what: CommandGiven | Recognized,
) -> None:
    """As the page told that it would be before the person named the card."""
    script, referee = Script(), set_right()
    script.reset(referee.standing())
    script.inbox.put(what) if isinstance(what, CommandGiven) else script.see(what)
    script.wait(2.5)
    (amended,) = [told for told in script.emitted if isinstance(told, Amended)]
    trial = referee.fork()
    for line in corrections.to_observations(TopIs("red-6"), referee, 2.0):
        trial.observe(line)
    for one in amended.observations:
        referee.observe(one)
    assert referee.position() == trial.position()
    assert (referee.position()["top"], referee.position()["hands"]) == ("red-6", [2, 5, 5])


def test_undo_takes_back_no_more_than_a_person_has_set_right_since() -> None:
    script, referee = Script(), set_right(Uno(1.2, 2))
    script.reset(referee.standing())
    script.inbox.put(Press(t=2.0, seat=0, key="undo"))
    script.wait(2.5)
    assert script.emitted == []


def test_undo_leaves_what_a_person_set_right_before() -> None:
    script, referee = Script(), set_right()
    referee.observe(Uno(1.8, 2))
    script.reset(referee.standing())
    for at in (2.0, 2.2):
        script.inbox.put(Press(t=at, seat=0, key="undo"))
    script.wait(2.5)
    (amended,) = script.emitted
    assert isinstance(amended, Amended)
    for one in amended.observations:
        referee.observe(one)
    assert referee.position()["hands"] == [2, 5, 5]
    assert [type(one) for one in referee.standing()] == [Play, Overrule]


def set_right(*before: Observation) -> Referee:
    """A card is laid, and then a person says that seat 0 holds two cards."""
    referee = Referee(header(3, given={"turn": 0, "top": "red-7", "hands": [4, 5, 5]}))
    for one in (Play(1.0, "red-5"), *before):
        referee.observe(one)
    for one in corrections.to_observations(SetTo({"hands": {0: 2}}), referee, 1.5):
        referee.observe(one)
    return referee


def test_what_a_person_confirms_is_not_reported_again() -> None:
    script = Script()
    script.touch("red-6")
    script.inbox.put(CommandGiven(t=script.t, command=NameCard("red-6")))
    script.wait(1)
    assert script.plays == ["red-6"]
    assert not any(isinstance(told, Amended) for told in script.emitted)


def test_a_correction_without_a_card_is_nothing() -> None:
    script = Script()
    script.inbox.put(CommandGiven(t=0.0, command=NameCard("red-9")))
    script.wait(1)
    assert script.emitted == []


def test_the_pile_hears_of_corrections_and_of_a_shoe_that_was_loaded_from_it() -> None:
    script = Script(needs_cards=True)
    script.touch("red-6")
    script.inbox.put(CommandGiven(t=script.t, command=NameCard("red-9")))
    script.inbox.put(ShoeReport(t=script.t, kind="loaded"))
    script.wait(1)
    assert (script.pile.corrected, script.pile.bared) == (["red-9"], 1)


def test_the_pile_hears_a_named_card_at_once_and_not_after_the_next_one_was_laid() -> None:
    script = Script()
    script.touch("red-6")
    script.pile.unsettled_since = script.t
    script.inbox.put(CommandGiven(t=script.t, command=NameCard("red-9")))
    script.wait(0.1)
    assert script.pile.corrected == ["red-9"]
    script.pile.unsettled_since = None
    script.see(Touched(t=script.t, u=0.02, face="red-2", corners_px=PLACE))
    script.wait(1)
    assert script.plays == ["red-6", "red-2"]
    assert script.pile.corrected == ["red-9"]


@pytest.mark.parametrize(
    ("event", "has_shoe"),
    [
        pytest.param(ShoeReport(t=1.0, kind="loaded"), True, id="with-shoe"),
        pytest.param(TakenAway(1.0, "red-7"), False, id="without-shoe"),
    ],
)
def test_a_discard_pile_that_became_the_draw_pile_during_a_pause_counts_when_play_goes_on(
    event: Event, has_shoe: bool
) -> None:
    script = Script(has_shoe=has_shoe, is_paused=True, needs_cards=True)
    script.goes_on = True
    script.see(event)
    script.wait(1.5)
    assert script.observations == []
    script.inbox.put(Press(t=2.0, seat=0, key="go"))
    script.wait(2)
    assert [one["obs"] for one in script.observations] == ["resumed", "recycled"]


def test_a_doubtful_card_that_was_pushed_and_can_be_read_settles_itself() -> None:
    script = Script()
    script.touch("?")
    script.see(Recognized(script.t, "red-9"))
    script.wait(1)
    (amended,) = [told for told in script.emitted if isinstance(told, Amended)]
    assert amended.observations[-1] == Play(t=amended.t, u=0.02, card="red-9")
    assert script.plays == ["?"]


def test_a_press_during_the_play_waits_for_it_and_keeps_its_time() -> None:
    script = Script()
    script.pile.unsettled_since = 0.2
    script.inbox.put(Press(t=0.9, u=0.005, seat=1, key="uno"))
    script.wait(1)
    assert script.observations == []
    script.pile.unsettled_since = None
    script.touch("red-7", t=0.375)
    assert [(told["obs"], told["t"]) for told in script.observations] == [("play", 0.375), ("uno", 0.9)]


def test_nothing_is_held_back_for_ever() -> None:
    script = Script()
    script.pile.unsettled_since = 0.2
    script.inbox.put(Press(t=0.3, seat=1, key="challenge"))
    script.wait(HOLD_S)
    assert script.observations == []
    script.wait(0.5)
    assert [told["obs"] for told in script.observations] == ["challenge"]


def test_what_a_source_may_still_come_before_waits_for_its_word_and_no_longer() -> None:
    script = Script()
    script.inbox.put(Press(t=1.0, seat=2, key="uno"))
    script.t = 0.99
    script.collect()
    assert script.sequencer.pull() is None
    assert script.sequencer.is_waiting
    script.inbox.put(ShoeReport(t=0.9, kind="loaded"))
    script.inbox.put(Press(t=0.95, seat=1, key="uno"))
    script.t = 1.0
    script.wait(0)
    assert [(told["seat"], told["t"]) for told in script.observations] == [(1, 0.95), (2, 1.0)]
    assert not script.sequencer.is_waiting


def test_what_arrives_out_of_order_is_reported_in_order() -> None:
    script = Script()
    script.inbox.put(Press(t=0.20, seat=2, key="uno"))
    script.inbox.put(ShoeReport(t=0.10, kind="fed", job=1, seat=0, asked=2, n=2))
    script.inbox.put(Press(t=0.15, seat=1, key="uno"))
    script.wait(1)
    assert [(told["obs"], told["t"]) for told in script.observations] == [("drew", 0.1), ("uno", 0.15), ("uno", 0.2)]


def test_presses_of_the_pico_keep_what_is_known_of_their_time() -> None:
    script = Script()
    script.inbox.put(Press(t=1.000249, u=0.00025, seat=2, key="uno"))
    script.inbox.put(Press(t=1.001241, u=0.00025, seat=1, key="uno"))
    script.wait(2)
    assert [(told["seat"], told["t"], told["u"]) for told in script.observations] == [
        (2, 1.000249, 0.00025), (1, 1.001241, 0.00025)]  # fmt: skip


def test_a_report_that_lags_is_reported_late_with_its_age_as_uncertainty_and_time_never_goes_back() -> None:
    script = Script()
    script.inbox.put(Press(t=2.0, seat=1, key="pass"))
    script.wait(3)
    script.inbox.put(ShoeReport(t=1.5, u=0.01, kind="fed", job=1, seat=0, asked=1, n=1))
    script.wait(1)
    assert [(told["obs"], told["t"], told.get("u")) for told in script.observations] == [
        ("pass", 2.0, None), ("drew", 2.0, 0.51)]  # fmt: skip


def press(key: Any) -> Press:
    return Press(t=0.0, seat=2, key=key)


@pytest.mark.parametrize(
    ("source", "expected", "told"),
    [
        pytest.param(press("uno"), {}, [{"obs": "uno", "t": 0.0, "seat": 2}], id="uno"),
        pytest.param(press("pass"), {}, [{"obs": "pass", "t": 0.0, "seat": 2}], id="pass"),
        pytest.param(press("accept"), {}, [{"obs": "accept", "t": 0.0, "seat": 2}], id="accept"),
        pytest.param(press("challenge"), {}, [{"obs": "challenge", "t": 0.0, "seat": 2}], id="challenge"),
        pytest.param(press("green"), {}, [{"obs": "color", "t": 0.0, "color": "green", "seat": 2}], id="color-key"),
        pytest.param(press("acted"), {}, [{"obs": "acted", "t": 0.0, "seat": 2}], id="acted"),
        pytest.param(press("decline"), {}, [{"obs": "decline", "t": 0.0, "seat": 2}], id="decline"),
        pytest.param(CommandGiven(t=0.0, command=MakeHouseRule(2, 7, "Stand up.")), {},
                     [{"obs": "house_rule", "t": 0.0, "seat": 2, "number": 7, "text": "Stand up."}], id="house-rule"),
        pytest.param(CommandGiven(t=0.0, command=ChooseDealer(2)), {"phase": "pick"},
                     [{"obs": "overrule", "t": 0.0, "set": {"dealer": 2}}], id="dealer"),
        pytest.param(CommandGiven(t=0.0, command=ChooseDealer(2)), {"phase": "turn"}, [], id="dealer-too-late"),
        pytest.param(press("draw"), {}, [DrawRequest(0.0, 2)], id="draw-is-a-wish"),
        pytest.param(press("go"), {}, [Go(0.0)], id="go"),
        pytest.param(press("go"), {"is_paused": True}, [{"obs": "resumed", "t": 0.0}], id="go-while-paused"),
        pytest.param(ShoeReport(t=0, kind="fed", job=4, seat=1, asked=7, n=7), {"phase": "deal"},
                     [JobDone(0, 4, 7, Dealt(0, seat=1, n=7))], id="opening-deal"),
        pytest.param(ShoeReport(t=0, kind="fed", job=4, seat=1, asked=5, n=5), {"phase": "redeal"},
                     [JobDone(0, 4, 5, Redealt(0, seat=1, n=5))], id="redealt"),
        pytest.param(ShoeReport(t=0, kind="fed", job=4, seat=1, asked=2, n=2), {"phase": "collect"},
                     [JobDone(0, 4, 2, Drew(0, seat=1, n=2))], id="penalty-before-the-redeal"),
        pytest.param(ShoeReport(t=0, kind="fed", job=4, seat=1, asked=4, n=3), {},
                     [JobDone(0, 4, 3, Drew(0, seat=1, n=3))], id="drew-what-was-really-fed"),
        pytest.param(ShoeReport(t=0, kind="fed", job=4, seat=1, asked=1, n=0), {}, [JobDone(0, 4, 0)],
                     id="fed-nothing"),
        pytest.param(ShoeReport(t=0, kind="loaded"), {"needs_cards": True}, [{"obs": "recycled", "t": 0}],
                     id="recycled"),
        pytest.param(ShoeReport(t=0, kind="loaded"), {}, [], id="cards-lifted-and-laid-back"),
        pytest.param(ShoeReport(t=0, kind="loaded"), {"needs_cards": True, "phase": "collect"}, [],
                     id="hands-put-in-for-shuffle-hands"),
        pytest.param(ShoeReport(t=0, kind="loaded"), {"needs_cards": True, "phase": "round_over"}, [],
                     id="all-cards-put-in-for-the-next-deal"),
        pytest.param(ShoeReport(t=0, kind="fault", fault="jam"), {},
                     [{"obs": "fault", "t": 0, "device": "shoe", "kind": "jam"}], id="jam"),
    ],
)  # fmt: skip
def test_each_report_becomes_its_observation(source: Any, expected: dict[str, Any], told: list[Any]) -> None:
    script = Script(**expected)
    script.inbox.put(source)
    script.wait(1)
    assert [to_json(one) if isinstance(one, Observation) else one for one in script.emitted] == told


def test_play_goes_on_only_when_the_shoe_is_ready_and_cards_fed_by_mistake_are_back() -> None:
    script = Script(is_paused=True)
    script.inbox.put(ShoeReport(t=0.1, kind="fed", job=1, seat=3, asked=1, n=2))
    script.inbox.put(ShoeReport(t=0.1, kind="fault", job=1, seat=3, fault="double-feed"))
    script.inbox.put(Press(t=0.5, seat=0, key="go"))
    script.wait(1)
    assert [told["obs"] for told in script.observations] == ["drew", "fault"]
    script.inbox.put(ShoeReport(t=1.2, kind="returned", seat=3, n=1))
    script.inbox.put(Press(t=1.3, seat=0, key="go"))
    script.wait(1)
    assert [told["obs"] for told in script.observations] == ["drew", "fault"]
    script.inbox.put(ShoeReport(t=2.2, kind="ready"))
    script.wait(1)
    assert [told["obs"] for told in script.observations] == ["drew", "fault", "resumed"]
    assert script.observations[0]["n"] == 1


def test_what_a_person_must_clear_waits_for_a_go_and_what_heals_by_itself_does_not() -> None:
    script = Script(is_paused=True, waits_for_go=True)
    script.inbox.put(DeviceLost(0.2, "pico", "gone"))
    script.inbox.put(DeviceBack(0.4, "pico"))
    script.wait(1)
    assert [told["obs"] for told in script.observations] == ["fault"]
    script.inbox.put(DeviceLost(1.1, "pico", "gone"))
    script.inbox.put(Press(t=1.2, seat=0, key="go"))
    script.wait(1)
    assert [told["obs"] for told in script.observations] == ["fault", "fault"]
    script.inbox.put(DeviceBack(2.1, "pico"))
    script.wait(1)
    assert [told["obs"] for told in script.observations] == ["fault", "fault", "resumed"]


def test_a_pause_outlives_a_camera_that_goes_and_comes_back() -> None:
    script = Script()
    script.inbox.put(Press(t=0.2, seat=0, key="pause"))
    script.wait(1)
    script.sequencer.expect(Expected(is_paused=True))
    script.inbox.put(CameraFailed(1.1, "no-picture"), CameraWell(1.3))
    script.wait(1)
    assert [told["obs"] for told in script.observations] == ["fault", "fault"]


@pytest.mark.parametrize("phase", ["deal", "round_over", "game_over"])
def test_cards_pushed_together_between_two_rounds_are_no_plays(phase: str) -> None:
    script = Script(phase=phase)
    script.touch("red-7")
    assert script.emitted == []


class Spread:
    """Plays looks at the place where hands are laid open."""

    def __init__(self, *hand: int) -> None:
        self.scan = HandScan()
        self.scan.expect([(hand[0], hand[1])])
        self.t = 0.0
        self.seen: list[HandSeen] = []

    def show(self, *faces: str, at: float = 0.0, seconds: float = 1.0) -> None:
        """Lay these open, ``at`` px further right, after a hand was over the table; none clears it."""
        a, b, c, d = ((x + at, y) for x, y in PLACE)
        cards = tuple(Sighting(face, 0.99, (a, b, c, d)) for face in faces)
        self.push(ZoneView(self.t, is_moving=True))
        for _ in range(int(seconds / FRAME_S)):
            self.push(ZoneView(self.t, is_changed=True, cards=cards) if cards else ZoneView(self.t))

    def push(self, look: ZoneView) -> None:
        if (seen := self.scan.push(look)) is not None:
            self.seen.append(seen)
        self.t += FRAME_S

    @property
    def shown(self) -> list[tuple[int, tuple[str, ...]]]:
        return [(seen.seat, seen.cards) for seen in self.seen]


def test_a_hand_laid_open_is_shown_once() -> None:
    spread = Spread(2, 2)
    spread.show("red-7", "blue-1", seconds=10)
    assert spread.shown == [(2, ("blue-1", "red-7"))]


def test_an_empty_hand_is_shown_by_laying_nothing_open() -> None:
    spread = Spread(3, 0)
    spread.show(seconds=3)
    assert spread.shown == [(3, ())]


def test_a_hand_in_two_pictures_adds_up() -> None:
    spread = Spread(1, 3)
    spread.show("red-7", "blue-1")
    spread.show()
    spread.show("red-7")
    assert spread.shown == [(1, ("blue-1", "red-7", "red-7"))]


def test_a_hand_laid_anew_because_a_card_was_missed_is_not_counted_twice() -> None:
    spread = Spread(1, 3)
    spread.show("red-7", "blue-1")
    spread.show()
    spread.show("red-7", "blue-1", "green-4")
    assert spread.shown == [(1, ("blue-1", "green-4", "red-7"))]


def test_a_card_that_cannot_be_read_waits_for_a_better_look_and_is_then_shown_as_it_is() -> None:
    spread = Spread(1, 2)
    spread.show("red-7", "?", seconds=2)
    assert spread.shown == []
    spread.show("red-7", "?", seconds=10)
    assert spread.shown == [(1, ("?", "red-7"))]


def test_a_hand_of_the_wrong_size_is_shown_as_it_is_after_a_while() -> None:
    spread = Spread(1, 2)
    spread.show("red-7", "red-8", "red-9", seconds=12)
    assert spread.shown == [(1, ("red-7", "red-8", "red-9"))]


def test_the_cards_of_one_hand_are_not_taken_for_the_next() -> None:
    spread = Spread(1, 2)
    spread.show("red-7", "blue-1")
    spread.scan.expect([(2, 2)])
    spread.show("red-7", "blue-1", seconds=10)
    assert [seat for seat, _ in spread.shown] == [1]
    spread.show()
    spread.show("green-3", "green-4")
    assert spread.shown[1:] == [(2, ("green-3", "green-4"))]


@pytest.mark.parametrize(
    ("then", "is_read"),
    [
        pytest.param(("blue-1", "green-3"), False, id="half of them lay there"),
        pytest.param(("?", "green-3"), False, id="one cannot be read"),
        pytest.param(("green-4", "green-3"), True, id="two others"),
    ],
)
def test_the_next_hand_is_read_though_no_picture_shows_the_table_between_if_it_is_clearly_another(
    then: tuple[str, str], is_read: bool
) -> None:
    spread = Spread(1, 2)
    spread.show("red-7", "blue-1")
    spread.scan.expect([(2, 2)])
    spread.show(*then, at=200.0, seconds=10)
    assert spread.shown[1:] == ([(2, tuple(sorted(then)))] if is_read else [])


def test_a_hand_is_no_other_one_while_its_cards_lie_where_they_lay() -> None:
    spread = Spread(1, 1)
    spread.show("red-7")
    spread.scan.expect([(2, 3)])
    spread.show("red-7", "green-3", "green-4", seconds=10)
    assert [seat for seat, _ in spread.shown] == [1]


def test_nothing_is_shown_that_was_not_asked_for() -> None:
    spread = Spread(1, 2)
    spread.scan.expect([])
    spread.show("red-7", "blue-1", seconds=10)
    assert spread.shown == []


def test_a_shoe_whose_trouble_the_last_run_of_the_program_saw_must_be_ready_before_play_goes_on() -> None:
    script = Script()
    interlocks = Interlocks(needs_go=True, is_shoe_stopped=True)
    script.sequencer = Sequencer(script.inbox, script.pile, has_shoe=True, interlocks=interlocks)
    script.sequencer.expect(Expected(phase="turn", is_paused=True))
    script.inbox.put(Press(t=0.5, seat=0, key="go"))
    script.wait(1)
    assert script.observations == []
    script.inbox.put(ShoeReport(t=1.5, kind="ready"))
    script.wait(1)
    assert [told["obs"] for told in script.observations] == ["resumed"]


def test_pause_stops_play_once_and_go_goes_on() -> None:
    script = Script()
    script.inbox.put(Press(t=0.5, seat=0, key="pause"))
    script.wait(1)
    assert script.observations == [{"obs": "fault", "t": 0.5, "device": "panel", "kind": "pause"}]
    script.sequencer.expect(Expected(phase="turn", is_paused=True))
    script.inbox.put(Press(t=1.5, seat=0, key="pause"))
    script.inbox.put(Press(t=1.6, seat=0, key="go"))
    script.wait(1)
    assert [told["obs"] for told in script.observations] == ["fault", "resumed"]


def test_undo_takes_back_what_was_pressed_last_but_no_card_that_was_seen() -> None:
    script = Script()
    script.touch("red-7", seat=None, seat_confidence=0.0)
    script.inbox.put(Press(t=2.0, seat=1, key="uno"))
    for at in range(3):
        script.inbox.put(Press(t=2.1 + at, seat=0, key="undo"))
    script.wait(5)
    taken_back = [one for told in script.emitted if isinstance(told, Amended) for one in told.observations]
    assert [to_json(one)["undo"] for one in taken_back] == [1]


def go_on(script: Script) -> None:
    """Two seconds pass, in which play goes on."""
    script.t = round(script.t + 2.0, 3)
    script.collect()
    script.goes_on = True
    script.pull()


def test_a_card_that_may_have_come_before_the_pause_was_noticed_counts_when_play_goes_on() -> None:
    script = Script(turn=0)
    script.see(CameraFailed(1.0, "dark"))
    script.wait(1.2)
    script.sequencer.expect(Expected(phase="turn", turn=0, is_paused=True))
    script.inbox.put(Press(t=1.5, seat=0, key="uno"))
    script.see(Touched(t=3.0, u=2.0, face="red-7", corners_px=PLACE))
    script.wait(3.0)
    assert [told["obs"] for told in script.observations] == ["fault"]
    script.see(CameraWell(4.5))
    go_on(script)
    assert [(told["obs"], told["t"]) for told in script.observations] == [
        ("fault", 1.0), ("resumed", 4.5), ("uno", 4.5), ("play", 4.5),
    ]  # fmt: skip


def test_what_is_done_when_everybody_knows_that_play_rests_is_reported_at_once() -> None:
    script = Script(turn=0)
    script.see(CameraFailed(1.0, "dark"))
    script.wait(1.2)
    script.sequencer.expect(Expected(phase="turn", turn=0, is_paused=True))
    script.wait(1.0)
    script.touch("red-7", t=1.0 + NOTICED_S + 0.1)
    assert script.plays == ["red-7"]


@pytest.mark.parametrize(("owed", "told"), [({}, ["fault"]), ({2: 4}, ["fault", "drew"])], ids=["wished", "owed"])
def test_of_the_cards_fed_while_play_rests_only_those_that_are_owed_count_at_once(
    owed: dict[int, int], told: list[str]
) -> None:
    script = Script(turn=2)
    script.inbox.put(DeviceLost(1.0, "camera", "gone"))
    script.wait(1.2)
    script.sequencer.expect(Expected(phase="turn", turn=2, is_paused=True, owed=owed))
    script.inbox.put(ShoeReport(t=9.0, kind="fed", job=1, seat=2, asked=4, n=4))
    script.wait(9.0)
    assert [one["obs"] for one in script.observations] == told
    script.inbox.put(DeviceBack(10.5, "camera"))
    go_on(script)
    assert sorted(one["obs"] for one in script.observations) == ["drew", "fault", "resumed"]


def test_who_says_while_play_rests_what_the_unnoticed_card_was_means_that_one() -> None:
    script = Script(turn=0)
    script.touch("blue-1")
    script.see(CameraFailed(2.0, "dark"))
    script.wait(1.2)
    script.sequencer.expect(Expected(phase="turn", turn=0, is_paused=True))
    script.see(Touched(t=3.0, u=1.5, face="red-1", corners_px=PLACE))
    script.wait(2.0)
    script.inbox.put(CommandGiven(t=4.0, command=NameCard("red-7")))
    script.see(CameraWell(4.5))
    go_on(script)
    assert script.plays == ["blue-1", "red-1"]
    assert isinstance(script.emitted[-1], Amended)
    assert [to_json(one).get("card") for one in script.emitted[-1].observations] == [None, "red-7"]


def test_a_second_fault_does_not_prolong_the_time_in_which_a_pause_may_be_unnoticed() -> None:
    script = Script(turn=0)
    script.see(CameraFailed(1.0, "dark"))
    script.wait(1.2)
    script.sequencer.expect(Expected(phase="turn", turn=0, is_paused=True))
    script.inbox.put(ShoeReport(t=1.8, kind="fault", fault="jam"))
    script.wait(1.0)
    script.inbox.put(Press(t=2.2, seat=0, key="uno"))
    script.wait(1.0)
    assert [told["obs"] for told in script.observations] == ["fault", "fault", "uno"]


def test_what_waits_for_the_end_of_the_pause_keeps_nothing_else_back() -> None:
    script = Script(turn=0)
    script.see(CameraFailed(1.0, "dark"))
    script.wait(1.2)
    script.sequencer.expect(Expected(phase="turn", turn=0, is_paused=True))
    script.inbox.put(Press(t=1.5, seat=0, key="uno"), ShoeReport(t=1.6, kind="fault", fault="jam"))
    script.t = 3.0
    script.collect()
    assert isinstance(script.sequencer.pull(), Fault)


def test_a_play_that_is_undone_gives_the_pile_its_card_before() -> None:
    script = Script()
    script.touch("red-6")
    script.reset([])
    assert script.pile.corrected == [], "no card is known any more"
    script.reset([Play(0.5, "red-5")])
    assert script.pile.corrected == [], "a card is known now, and none before it"
    script.reset([Play(0.5, "red-5"), Play(0.6, "blue-5"), Uno(0.7, 1)])
    script.reset([Play(0.5, "red-5"), Uno(0.7, 1)])
    assert script.pile.corrected == ["blue-5", "red-5"]
    script.reset([Uno(0.7, 1)])
    assert script.pile.corrected == ["blue-5", "red-5"]


def test_times_in_the_log_are_whole_microseconds() -> None:
    script = Script()
    script.inbox.put(Press(t=0.12345678, u=0.00123456, seat=2, key="uno"))
    script.wait(1)
    (told,) = script.emitted
    assert isinstance(told, Uno)
    assert (told.t, told.u) == (0.123457, 0.001235)


def test_play_goes_on_only_when_a_device_has_reported_its_state() -> None:
    script = Script(turn=0, is_paused=True)
    script.sequencer.wait_for("shoe", False, 0.5)
    script.wait(1)
    assert script.emitted == [], "a device that nobody waits for brings nothing"
    script.sequencer.wait_for("shoe", True, 1.0)
    script.inbox.put(Press(t=1.0, seat=0, key="go"))
    script.wait(1)
    assert not any(isinstance(told, Resumed) for told in script.emitted)
    script.sequencer.wait_for("shoe", False, 2.5)
    script.wait(1)
    (resumed,) = [told for told in script.emitted if isinstance(told, Resumed)]
    assert resumed.t == 2.5


def test_after_a_correction_with_more_digits_time_does_not_go_back_by_rounding() -> None:
    corrected = 14.195851000000001
    inbox = Inbox()
    sequencer = Sequencer(inbox, FakePile(), has_shoe=True, interlocks=Interlocks())
    sequencer.expect(Expected(phase="turn", turn=0))
    sequencer.reset([Play(corrected, "red-7")])
    inbox.put(ShoeReport(t=14.18, kind="fed", job=4, seat=0, asked=1, n=1))
    inbox.collect()
    done = sequencer.pull()
    assert isinstance(done, JobDone)
    assert done.observation is not None
    assert done.observation.t >= corrected
