"""Who pressed, and when: no seat is favored, a bouncing contact counts once, a stuck one harms nobody."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest

from croupier.link import commands
from croupier.link.commands import Buzz, Lamps
from croupier.link.conversation import Greeted
from tablewire.frame import Decoder
from tablewire.messages import HEARD_BY_HOST, TICKS
from tests.firmware.rig import Rig

SEATS = range(10)


@pytest.fixture(scope="module")
def board() -> Iterator[Rig]:
    # The Pico's ticks wrap at 2^30 µs: here in the middle of the tests.
    with Rig(start_us=(1 << 30) - 6_000_000) as rig:
        rig.run(3, lambda: bool(rig.of(Greeted)))
        rig.run(0.5)
        yield rig


@pytest.fixture
def table(board: Rig) -> Rig:
    board.run(0.2)
    board.told.clear()
    return board


def test_buttons_pressed_in_one_instant_are_reported_as_one_instant_for_all_pairs_of_seats(table: Rig) -> None:
    for pair, (a, b) in enumerate(combinations(SEATS, 2)):
        table.pico.press(1 << a | 1 << b, bounces=pair % 3, up_after_us=40_000)
        table.run(0.07)
    masks = [press.mask for press in table.of_kind("press")]
    assert masks == [1 << a | 1 << b for a, b in combinations(SEATS, 2)]


@pytest.mark.parametrize("bounces", [0, 1, 2])
def test_the_first_edge_of_a_bouncing_contact_is_the_press(table: Rig, bounces: int) -> None:
    at = table.now + 0.0123
    table.pico.press(0b100, at_us=table.began_us + round(at * 1e6), bounces=bounces)
    table.run(0.2)
    (press,) = table.of_kind("press")
    assert press.t == pytest.approx(at, abs=press.u)


def test_the_bounces_of_each_contact_are_counted_once(table: Rig) -> None:
    contacts = commands.Test(part="contacts")
    table.send(contacts)  # those of other tests
    table.run(0.1)
    for seat, bounces in ((0, 1), (3, 0), (9, 2)):
        table.pico.press(1 << seat, bounces=bounces, up_after_us=300_000)
        table.run(0.05)
    table.send(contacts, contacts)
    table.run(0.1)
    assert [one.detail for one in table.of_kind("tested")][-2:] == [1 | 2 << 27, 0]
    table.run(0.3)


def test_no_stamp_of_a_press_is_delayed_by_the_guard(table: Rig) -> None:
    """Presses at every 15 µs of the period of the guard's interrupt (8 ms): some fall into it."""
    stamps: dict[int, None] = {}  # what is sent again is of the same press
    decoder = Decoder(HEARD_BY_HOST)
    read = table.pico.read

    def overheard() -> bytes:
        data = read()
        stamps.update({one.values[0]: None for one in decoder.receive(data) if one.message.name == "press"})
        return data

    pressed: list[int] = []
    began_us = table.pico.now_us + 10_000
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table.pico, "read", overheard)
        for n in range(540):
            at_us = began_us + 7_985 * n
            table.pico.press(1 << n % 10, at_us=at_us, up_after_us=20_000)
            pressed.append(at_us)
        table.run(4.5)
    late_us = [(table.pico.epoch_us + ticks - at) % TICKS for ticks, at in zip(stamps, pressed, strict=True)]
    assert set(late_us) > {9}, "most come between interrupts, and some do not"
    assert max(late_us) <= 50


@pytest.mark.parametrize("us", [20, 50, 300, 900])
def test_a_disturbance_of_the_wire_is_no_press(table: Rig, us: int) -> None:
    for n in range(20):
        table.pico.press(0b100, at_us=table.pico.now_us + 3_000 + 1_370 * n, up_after_us=us)
    table.run(0.2)
    assert table.of_kind("press") == []


def test_a_disturbance_just_before_a_press_changes_neither_its_time_nor_its_order(table: Rig) -> None:
    at = table.now + 0.0123
    at_us = table.began_us + round(at * 1e6)
    table.pico.press(0b1, at_us=at_us - 9_000, up_after_us=50)
    table.pico.press(0b10, at_us=at_us)
    table.pico.press(0b100, at_us=at_us + 300)
    table.run(0.3)
    told = table.of_kind("press")
    assert [press.mask for press in told] == [0b10, 0b100]
    assert told[0].t == pytest.approx(at, abs=told[0].u)


@pytest.mark.parametrize("before_us", [2_500, 6_000, 9_000, 14_500])
@pytest.mark.parametrize("bounces", [0, 2])
def test_a_disturbance_of_the_same_button_does_not_date_its_press(table: Rig, before_us: int, bounces: int) -> None:
    at = table.now + 0.0323
    at_us = table.began_us + round(at * 1e6)
    table.pico.press(0b1, at_us=at_us - before_us, up_after_us=100)
    table.pico.press(0b10, at_us=at_us - 1_500, up_after_us=40_000)
    table.pico.press(0b1, at_us=at_us, bounces=bounces)
    table.run(0.3)
    told = {press.mask: press for press in table.of_kind("press")}
    assert told[0b1].t == pytest.approx(at, abs=told[0b1].u)
    assert told[0b1].t - told[0b10].t == pytest.approx(0.0015, abs=0.0001), "who pressed first"


def test_the_press_of_a_contact_that_bounces_for_long_has_the_time_of_its_first_edge(table: Rig) -> None:
    """Its report comes after that of a contact that closed later and did not bounce."""
    at = table.now + 0.0123
    at_us = table.began_us + round(at * 1e6)
    table.pico.press(0b1, at_us=at_us, bounces=2)
    table.pico.press(0b10, at_us=at_us + 700)
    table.run(0.3)
    told = {press.mask: press for press in table.of_kind("press")}
    assert told[0b1].t == pytest.approx(at, abs=told[0b1].u)
    assert told[0b10].t - told[0b1].t == pytest.approx(0.0007, abs=0.00002)


def test_presses_a_millisecond_apart_come_in_their_order_for_all_pairs_of_seats(table: Rig) -> None:
    pairs = [(a, b) for a in SEATS for b in SEATS if a != b]
    for a, b in pairs:
        at_us = table.pico.now_us + 3_000
        table.pico.press(1 << a, at_us=at_us, bounces=2, up_after_us=20_000)
        table.pico.press(1 << b, at_us=at_us + 1_000, bounces=2, up_after_us=20_000)
        table.run(0.06)
    told = table.of_kind("press")
    assert [press.mask for press in told] == [1 << seat for pair in pairs for seat in pair]
    apart = [second.t - first.t for first, second in zip(told[::2], told[1::2], strict=True)]
    assert apart == pytest.approx([0.001] * len(pairs), abs=0.0001)


def test_a_button_that_is_held_is_pressed_once_and_again_after_it_was_let_go(table: Rig) -> None:
    table.pico.press(1, up_after_us=500_000)
    table.run(0.6)
    table.pico.press(1, up_after_us=50_000)
    table.run(0.2)
    assert [press.mask for press in table.of_kind("press")] == [1, 1]


def test_a_stuck_button_stays_stuck_when_somebody_presses_it(table: Rig) -> None:
    table.pico.press(0b10, up_after_us=12_000_000)
    table.run(2)
    table.pico.press(0b10)
    table.run(9)
    assert [fault.detail for fault in table.of_kind("fault")] == [0b10]
    table.run(2)
    assert [fault.detail for fault in table.of_kind("fault")] == [0b10, 0]


def test_a_stuck_button_is_reported_and_the_others_go_on_working(table: Rig) -> None:
    table.pico.press(0b10, up_after_us=None)
    table.run(11)
    assert [(fault.kind, fault.detail) for fault in table.of_kind("fault")] == [("stuck-button", 0b10)]
    table.pico.press(0b1)
    table.run(0.2)
    table.pico.do("board", "release", 0b10)
    table.run(0.2)
    table.pico.press(0b10)
    table.run(0.2)
    assert [press.mask for press in table.of_kind("press")] == [0b10, 0b1, 0b10]
    assert [fault.detail for fault in table.of_kind("fault")] == [0b10, 0], "and that it came loose"


def test_nobody_floods_the_line_with_a_loose_contact(table: Rig) -> None:
    for n in range(540):
        table.pico.press(0b1000, at_us=table.pico.now_us + 2_000 * n, up_after_us=1_000)
    table.run(1.0)
    table.pico.press(0b1)
    table.run(0.2)
    masks = [press.mask for press in table.of_kind("press")]
    assert masks[-1] == 1
    assert masks[:-1] == [0b1000]


def look(table: Rig) -> tuple[int, list[int], int, int]:
    table.pico.do("board", "look")
    table.run(0.01)
    return next(event.values for event in reversed(table.events) if event.kind == "look")


def test_lamps_light_as_ordered(table: Rig) -> None:
    for mask in (0b1, 0b1000000001, 0):
        table.send(Lamps(mask=mask))
        table.run(0.05)
        assert look(table)[2] == mask


def test_a_tone_ends_by_itself(table: Rig) -> None:
    table.send(Buzz(pitch=880, duration=200))
    table.run(0.1)
    assert look(table)[3] > 0
    table.run(0.2)
    assert look(table)[3] == 0


def test_each_part_can_be_tried_by_itself(table: Rig) -> None:
    table.pico.press(0b101, up_after_us=300_000)
    table.run(0.1)
    for part in ("buttons", "shoe", "lamps", "ring", "buzzer"):
        table.send(commands.Test(part=part))
        table.run(1.2, lambda: bool(table.of_kind("tested")) and table.of_kind("tested")[-1].part == part)  # noqa: B023
    told = [(tested.part, tested.ok, tested.detail) for tested in table.of_kind("tested")]
    assert told == [("buttons", 0, 0b101), ("shoe", 1, 0), ("lamps", 1, 0), ("ring", 1, 0), ("buzzer", 1, 0)]


def test_the_marks_show_the_turns_all_round_and_a_switch_that_shows_none_is_a_fault() -> None:
    with Rig() as rig:
        rig.ready()
        rig.send(commands.Test(part="marks"))
        assert rig.run(15, lambda: bool(rig.of_kind("tested")))
        assert rig.of_kind("fault") == []
        rig.pico.do("turning", "blind_marks")
        rig.send(commands.Test(part="marks"))
        assert rig.run(15, lambda: len(rig.of_kind("tested")) == 2)
        seen, blind = rig.of_kind("tested")
        assert (seen.ok, seen.detail, blind.ok) == (1, 3, 0)
        assert [fault.kind for fault in rig.of_kind("fault")] == ["lost-steps"]


def test_the_turntable_says_how_far_it_was_off() -> None:
    with Rig() as rig:
        rig.ready()
        rig.send(commands.Test(part="turntable"))
        rig.stand_still()
        rig.deal(1, 2, 1)
        rig.pico.do("turning", "turn_by_hand", 1230.0)  # it stood at 1200
        rig.run(0.05)
        rig.send(commands.Test(part="turntable"))
        rig.run(10, lambda: len(rig.of_kind("tested")) == 2)
        straight, off = rig.of_kind("tested")
        assert (straight.ok, off.ok) == (1, 1)
        assert straight.detail <= 12  # 1°: found at speed, it does not stand at once
        assert off.detail == pytest.approx(30, abs=12)
