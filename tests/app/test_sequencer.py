"""Scripted looks, reports and presses in; observations out, in the order of their time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import cv2
import numpy as np
import pytest

from cardsight.sighting import Corners, Sighting
from croupier.app.running.pile import PATIENCE_S
from croupier.app.running.sequencer import HOLD_S, LAG_S, Amended, Expected, Go, JobDone, Sequencer, Told, Unsure, Wish
from croupier.app.running.watcher import Change, Look
from croupier.devices.protocols import ChosenDealer, Correction, NewRule, Press, ShoeReport
from croupier.referee.observations import Observation, Play, to_json

FRAME_S = 0.25
_SIZE = (100, 100)  # of the shrunk zone: pixels of the frame by four


def card(face: str, x: float = 200, y: float = 200, **more: Any) -> Sighting:
    """A card of 100 x 157 px around a point."""
    corners: Corners = ((x - 50, y - 78), (x + 50, y - 78), (x + 50, y + 78), (x - 50, y + 78))
    return Sighting(face, 0.99, corners, **more)


def change(*cards: Sighting, but: Iterable[Sighting] = ()) -> Change:
    """Where these cards lie the picture has changed, except where the others do."""
    mask = np.zeros(_SIZE, np.uint8)
    for value, some in ((1, cards), (0, but)):
        for one in some:
            cv2.fillPoly(mask, [np.round(np.array(one.corners_px) / 4 - 0.5).astype(np.int32)], value)
    return Change(mask > 0)


class Script:
    """Plays looks at the pile to a sequencer, a frame every quarter second, and keeps what it tells."""

    def __init__(self, **expected: Any) -> None:
        self.sequencer = Sequencer()
        self.sequencer.expect(Expected(**({"phase": "turn"} | expected)))
        self.t = 0.0
        self.told: list[Told] = []
        self.still()

    def look(self, look: Look) -> None:
        self.sequencer.push_pile(look)
        self.wait(0)
        self.t = round(self.t + FRAME_S, 3)

    def still(self, frames: int = 1) -> None:
        for _ in range(frames):
            self.look(Look(self.t))

    def moving(self, frames: int = 2) -> None:
        for _ in range(frames):
            self.look(Look(self.t, is_moving=True))

    def seen(self, of: Change, *cards: Sighting, frames: int = 1) -> None:
        for _ in range(frames):
            self.look(Look(self.t, change=of, cards=cards))

    def lay(self, one: Sighting, *others: Sighting) -> None:
        self.moving()
        self.seen(change(one), one, *others, frames=2)
        self.still()

    def wait(self, seconds: float) -> None:
        self.t = round(self.t + seconds, 3)
        while (told := self.sequencer.pull(self.t + LAG_S)) is not None:
            self.told.append(told)

    @property
    def observations(self) -> list[dict[str, Any]]:
        return [to_json(told) for told in self.told if isinstance(told, Observation)]

    @property
    def plays(self) -> list[str]:
        return [told["card"] for told in self.observations if told["obs"] == "play"]


def test_a_card_is_a_play_once_it_lies_still_and_was_read_twice_alike() -> None:
    script = Script()
    script.moving()
    script.seen(change(card("red-7")), card("red-7"))
    assert script.plays == []
    script.seen(change(card("red-7")), card("red-7"))
    assert script.plays == ["red-7"]


def test_the_first_card_is_the_upcard() -> None:
    script = Script(phase="upcard")
    script.lay(card("blue-2"))
    assert [told["obs"] for told in script.observations] == ["upcard"]


def test_a_play_is_stamped_between_the_last_look_without_it_and_the_first_with_it() -> None:
    script = Script()
    script.lay(card("red-7"))
    (play,) = script.observations
    # Still at 0.0, moving at 0.25 and 0.5, lying there at 0.75.
    assert play["t"] - play["u"] == pytest.approx(0.0)
    assert play["t"] + play["u"] == pytest.approx(0.75)


@pytest.mark.parametrize(
    "frames",
    [
        pytest.param(
            [[card("red-7")], [card("red-1")], [card("red-7")], [card("red-1")]], id="flickers-between-two-faces"
        ),
        pytest.param([[card("red-7")], [], [card("red-7")], []], id="comes-and-goes"),
        pytest.param([[card("red-7")], [card("red-7", 240)], [card("red-7", 200)]], id="slides-on"),
        pytest.param([[card("?")], [card("?")], [card("?")]], id="cannot-be-read-yet"),
    ],
)
def test_what_is_not_settled_is_not_told(frames: list[list[Sighting]]) -> None:
    script = Script()
    script.moving()
    for cards in frames:
        script.seen(change(card("red-7")), *cards)
    assert script.observations == []


def test_a_hand_that_rests_on_the_pile_is_no_play() -> None:
    script = Script()
    hand = change(card("back", 150, 150), card("back", 250, 250))
    script.moving()
    script.seen(hand, card("red-7"), frames=4)
    assert script.observations == []
    script.moving()
    script.still()
    script.wait(5)
    assert script.observations == []


def test_a_hand_that_comes_and_goes_tells_nothing_and_holds_nothing_back() -> None:
    script = Script()
    script.moving(3)
    script.still()
    script.sequencer.push(Press(t=script.t, seat=1, key="uno"))
    script.wait(0.2)
    assert [told["obs"] for told in script.observations] == ["uno"]


def test_cards_still_seen_under_the_new_one_are_not_told_again() -> None:
    script = Script()
    script.lay(card("red-7"))
    script.lay(card("red-9", 215, 205), card("red-7"))
    script.lay(card("blue-9", 195, 190), card("red-9", 215, 205), card("red-7"))
    assert script.plays == ["red-7", "red-9", "blue-9"]


def test_a_card_laid_on_its_twin_is_a_new_play() -> None:
    script = Script()
    script.lay(card("red-7"))
    script.lay(card("red-7", 230, 215), card("red-7"))
    assert script.plays == ["red-7", "red-7"]


def test_a_card_that_is_only_pushed_is_no_play() -> None:
    script = Script()
    old, new = card("red-7"), card("red-7", 230, 215)
    script.lay(old)
    script.moving()
    script.seen(change(old, new), new, frames=3)
    assert script.plays == ["red-7"]
    script.lay(card("red-1", 205, 200), new)
    assert script.plays == ["red-7", "red-1"]


def test_a_card_taken_back_may_be_laid_again() -> None:
    script = Script()
    script.lay(card("red-7"))
    wrong = card("blue-1", 225, 210)
    script.lay(wrong, card("red-7"))
    script.moving()
    script.seen(change(wrong), card("red-7"), frames=2)
    assert script.plays == ["red-7", "blue-1"]
    script.lay(card("blue-1", 190, 195))
    assert script.plays == ["red-7", "blue-1", "blue-1"]


def test_a_pile_that_looks_as_before_the_last_card_needs_no_reading_to_know_it_is_gone() -> None:
    script = Script()
    script.lay(card("red-7"))
    wrong = card("blue-1", 225, 210)
    script.lay(wrong)
    script.moving()
    for _ in range(2):
        script.look(Look(script.t, change=change(wrong), is_as_before=True))
    script.lay(card("blue-1", 225, 210))
    assert script.plays == ["red-7", "blue-1", "blue-1"]


def test_a_card_laid_while_the_one_before_is_taken_back_takes_its_place() -> None:
    script = Script()
    script.lay(card("red-7"))
    wrong, right = card("blue-1", 225, 210), card("red-1", 170, 190)
    script.lay(wrong)
    script.moving()
    script.seen(change(wrong, right), right, frames=2)
    assert script.plays == ["red-7", "blue-1", "red-1"]


def test_what_stays_unreadable_is_told_as_doubt_with_the_expected_candidates_first() -> None:
    script = Script(faces=frozenset({"red-9"}))
    doubtful = card("?", candidates=(("red-6", 0.5), ("red-9", 0.4)))
    script.moving()
    script.seen(change(doubtful), doubtful, frames=int(PATIENCE_S / FRAME_S) + 2)
    assert script.plays == ["?"]
    assert [told.candidates for told in script.told if isinstance(told, Unsure)] == [("red-9", "red-6")]


def test_a_sure_reading_is_never_bent_to_what_is_expected() -> None:
    script = Script(faces=frozenset({"red-9"}))
    script.lay(card("red-6"))
    assert script.plays == ["red-6"]


def test_a_person_corrects_a_card_and_what_came_after_is_told_anew() -> None:
    script = Script()
    script.lay(card("red-6"))
    script.sequencer.push(Press(t=script.t, seat=2, key="uno"))
    script.wait(1)
    script.sequencer.push(Correction(t=script.t, card="red-9"))
    script.wait(1)
    (amended,) = [told for told in script.told if isinstance(told, Amended)]
    assert [to_json(one) for one in amended.observations] == [
        {"obs": "overrule", "t": amended.t, "undo": 2},
        {"obs": "play", "t": amended.t, "card": "red-9"},
        {"obs": "uno", "t": amended.t, "seat": 2},
    ]


def test_what_a_person_confirms_is_not_told_again() -> None:
    script = Script()
    script.lay(card("red-6"))
    script.sequencer.push(Correction(t=script.t, card="red-6"))
    script.wait(1)
    assert script.plays == ["red-6"]
    assert not any(isinstance(told, Amended) for told in script.told)


def test_a_corrected_card_is_known_by_its_true_face_from_then_on() -> None:
    script = Script()
    script.lay(card("red-6"))
    script.sequencer.push(Correction(t=script.t, card="red-9"))
    script.wait(1)
    pushed = card("red-9", 230, 215)
    script.moving()
    script.seen(change(card("red-6"), pushed), pushed, frames=2)
    assert script.plays == ["red-6"]


def test_a_doubtful_card_that_was_pushed_and_can_be_read_settles_itself() -> None:
    script = Script()
    script.moving()
    script.seen(change(card("?")), card("?"), frames=int(PATIENCE_S / FRAME_S) + 2)
    clear = card("red-9", 230, 215)
    script.moving()
    script.seen(change(card("?"), clear), clear, frames=2)
    (amended,) = [told for told in script.told if isinstance(told, Amended)]
    assert amended.observations[-1] == Play(t=amended.t, u=0.0, card="red-9")
    assert script.plays == ["?"]


def test_a_correction_without_a_card_is_nothing() -> None:
    script = Script()
    script.sequencer.push(Correction(t=0.0, card="red-9"))
    script.wait(1)
    assert script.told == []


def test_a_press_during_the_play_waits_for_it_and_keeps_its_time() -> None:
    script = Script()
    script.moving()
    script.sequencer.push(Press(t=0.9, u=0.005, seat=1, key="uno"))
    script.seen(change(card("red-7")), card("red-7"))
    assert script.observations == []
    script.seen(change(card("red-7")), card("red-7"))
    script.still()
    assert [(told["obs"], told["t"]) for told in script.observations] == [("play", 0.375), ("uno", 0.9)]


def test_nothing_is_held_back_for_ever() -> None:
    script = Script()
    script.moving(1)
    script.sequencer.push(Press(t=0.3, seat=1, key="challenge"))
    script.moving(int(HOLD_S / FRAME_S) + 2)
    assert [told["obs"] for told in script.observations] == ["challenge"]


def test_what_arrives_out_of_order_is_told_in_order() -> None:
    script = Script()
    script.sequencer.push(Press(t=0.20, seat=2, key="uno"))
    script.sequencer.push(ShoeReport(t=0.10, kind="fed", job=1, seat=0, asked=2, n=2))
    script.sequencer.push(Press(t=0.15, seat=1, key="uno"))
    script.wait(1)
    assert [(told["obs"], told["t"]) for told in script.observations] == [("drew", 0.1), ("uno", 0.15), ("uno", 0.2)]


def test_a_report_that_lags_is_told_late_with_its_age_as_uncertainty_and_time_never_goes_back() -> None:
    script = Script()
    script.sequencer.push(Press(t=2.0, seat=1, key="pass"))
    script.wait(3)
    script.sequencer.push(ShoeReport(t=1.5, u=0.01, kind="fed", job=1, seat=0, asked=1, n=1))
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
        pytest.param(NewRule(t=0.0, seat=2, number=7, text="Stand up."), {},
                     [{"obs": "house_rule", "t": 0.0, "seat": 2, "number": 7, "text": "Stand up."}], id="house-rule"),
        pytest.param(ChosenDealer(t=0.0, seat=2), {"phase": "pick"},
                     [{"obs": "overrule", "t": 0.0, "set": {"dealer": 2}}], id="dealer"),
        pytest.param(ChosenDealer(t=0.0, seat=2), {"phase": "turn"}, [], id="dealer-too-late"),
        pytest.param(press("draw"), {}, [Wish(0.0, 2)], id="draw-is-a-wish"),
        pytest.param(press("go"), {}, [Go(0.0)], id="go"),
        pytest.param(press("go"), {"is_paused": True}, [{"obs": "resumed", "t": 0.0}], id="go-while-paused"),
        pytest.param(ShoeReport(t=0, kind="fed", job=4, seat=1, asked=7, n=7), {"phase": "deal"},
                     [JobDone(0, 4), {"obs": "dealt", "t": 0, "seat": 1, "n": 7}], id="opening-deal"),
        pytest.param(ShoeReport(t=0, kind="fed", job=4, seat=1, asked=5, n=5), {"phase": "redeal"},
                     [JobDone(0, 4), {"obs": "redealt", "t": 0, "seat": 1, "n": 5}], id="redealt"),
        pytest.param(ShoeReport(t=0, kind="fed", job=4, seat=1, asked=2, n=2), {"phase": "collect"},
                     [JobDone(0, 4), {"obs": "drew", "t": 0, "seat": 1, "n": 2}], id="penalty-before-the-redeal"),
        pytest.param(ShoeReport(t=0, kind="fed", job=4, seat=1, asked=4, n=3), {},
                     [JobDone(0, 4), {"obs": "drew", "t": 0, "seat": 1, "n": 3}], id="drew-what-was-really-fed"),
        pytest.param(ShoeReport(t=0, kind="fed", job=4, seat=1, asked=1, n=0), {}, [JobDone(0, 4)], id="fed-nothing"),
        pytest.param(ShoeReport(t=0, kind="loaded"), {}, [{"obs": "recycled", "t": 0}], id="recycled"),
        pytest.param(ShoeReport(t=0, kind="fault", fault="jam"), {},
                     [{"obs": "fault", "t": 0, "device": "shoe", "kind": "jam"}], id="jam"),
    ],
)  # fmt: skip
def test_each_report_becomes_its_observation(source: Any, expected: dict[str, Any], told: list[Any]) -> None:
    script = Script(**expected)
    script.sequencer.push(source)
    script.wait(1)
    assert [to_json(one) if isinstance(one, Observation) else one for one in script.told] == told


def test_play_goes_on_only_when_the_shoe_is_ready_and_cards_fed_by_mistake_are_back() -> None:
    script = Script(is_paused=True)
    script.sequencer.push(ShoeReport(t=0.1, kind="fed", job=1, seat=3, asked=1, n=2))
    script.sequencer.push(ShoeReport(t=0.1, kind="fault", job=1, seat=3, fault="double-feed"))
    script.sequencer.push(Press(t=0.5, seat=0, key="go"))
    script.wait(1)
    assert [told["obs"] for told in script.observations] == ["drew", "fault"]
    script.sequencer.push(ShoeReport(t=1.2, kind="returned", seat=3, n=1))
    script.sequencer.push(Press(t=1.3, seat=0, key="go"))
    script.wait(1)
    assert [told["obs"] for told in script.observations] == ["drew", "fault"]
    script.sequencer.push(ShoeReport(t=2.2, kind="ready"))
    script.sequencer.push(Press(t=2.5, seat=0, key="go"))
    script.wait(1)
    assert [told["obs"] for told in script.observations] == ["drew", "fault", "resumed"]
    assert script.observations[0]["n"] == 1


@pytest.mark.parametrize("phase", ["deal", "round_over", "game_over"])
def test_cards_pushed_together_between_two_rounds_are_no_plays(phase: str) -> None:
    script = Script(phase=phase)
    script.lay(card("red-7"))
    assert script.told == []


class Spread:
    """Plays looks at the place where hands are laid open."""

    def __init__(self, *hand: int) -> None:
        self.sequencer = Sequencer()
        self.sequencer.expect(Expected(phase="round_over", hand=(hand[0], hand[1])))
        self.t = 0.0
        self.told: list[Observation] = []

    def show(self, *faces: str, seconds: float = 1.0) -> None:
        """Lay these open after a hand was over the table; none clears it."""
        cards = tuple(card(face, 60 * place) for place, face in enumerate(faces))
        self.push(Look(self.t, is_moving=True))
        for _ in range(int(seconds / FRAME_S)):
            self.push(Look(self.t, change=change(*cards), cards=cards) if cards else Look(self.t))

    def push(self, look: Look) -> None:
        self.sequencer.push_hand(look)
        self.t += FRAME_S
        while (told := self.sequencer.pull(self.t + LAG_S)) is not None:
            assert isinstance(told, Observation)
            self.told.append(told)

    @property
    def shown(self) -> list[tuple[int, tuple[str, ...]]]:
        return [(told.seat, told.cards) for told in self.told]  # type: ignore[attr-defined]


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
    spread.sequencer.expect(Expected(phase="round_over", hand=(2, 2)))
    spread.show("red-7", "blue-1", seconds=10)
    assert [seat for seat, _ in spread.shown] == [1]
    spread.show()
    spread.show("green-3", "green-4")
    assert spread.shown[1:] == [(2, ("green-3", "green-4"))]


def test_nothing_is_shown_that_was_not_asked_for() -> None:
    spread = Spread(1, 2)
    spread.sequencer.expect(Expected())
    spread.show("red-7", "blue-1", seconds=10)
    assert spread.shown == []


@pytest.mark.parametrize("is_moved", [False, True], ids=["in-its-place", "moved"])
def test_a_card_laid_while_the_pile_under_the_top_card_is_taken_away_is_a_play(is_moved: bool) -> None:
    script = Script()
    under, top, new = card("red-7", 90, 90), card("red-3", 300, 120), card("red-9", 330, 160)
    script.lay(under)
    script.lay(top, under)
    script.moving()
    now = card("red-3", 250, 250) if is_moved else top
    script.sequencer.push(ShoeReport(t=script.t, kind="loaded"))
    script.seen(change(under, top, new), now, new, frames=3)
    script.still()
    assert script.plays == ["red-7", "red-3", "red-9"]


def test_a_top_card_left_alone_by_a_recycling_is_no_play() -> None:
    script = Script()
    under, top = card("red-7", 90, 90), card("red-3", 300, 120)
    script.lay(under)
    script.lay(top, under)
    script.moving()
    script.sequencer.push(ShoeReport(t=script.t, kind="loaded"))
    script.seen(change(under), top, frames=3)
    script.still()
    assert script.plays == ["red-7", "red-3"]
    script.lay(card("red-7", 90, 90), top)
    assert script.plays == ["red-7", "red-3", "red-7"]
