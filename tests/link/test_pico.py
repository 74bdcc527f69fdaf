"""The Pico as shoe, ring and buttons: what it is told when, and what becomes of jobs when things go wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.commands import CountFedCards, Key
from croupier.devices.pico import DOUBT, Layout, Pico
from croupier.devices.pico.pico import CLOCK
from croupier.devices.protocols import Feed, Light
from croupier.events import CommandGiven, Press, ShoeReport
from croupier.link import commands, reports
from croupier.link.commands import Clear, Command, Deal, Go, Lamps, Place, Ring
from croupier.link.conversation import Event, Greeted, Mismatch, Silent, mismatch
from tablewire.messages import TICKS

T = count(1)


class Line:
    """Keeps what the Pico is told, and brings what a test says that it reports. ``is_known``: the greeting of the
    newest session has been brought."""

    def __init__(self) -> None:
        self.told: list[Command] = []
        self.coming: list[Event] = []
        self.is_full = False
        self.is_known = True

    def send(self, command: Command) -> bool:
        is_sent = self.is_known and not self.is_full
        if is_sent:
            self.told.append(command)
        return is_sent

    def events(self) -> list[Event]:
        coming, self.coming = self.coming, []
        return coming

    trouble = ""

    def start(self) -> None: ...

    def close(self) -> None: ...

    def watermark(self) -> float:
        return 0.0

    def take(self) -> list[Command]:
        told, self.told = self.told, []
        return told


def hello(*, is_new: bool = True, is_reset: bool = False, cause: str = "power") -> Greeted:
    return Greeted(t=next(T), board="rp2-pico", world="SIMULATION", cause=cause, is_new=is_new, is_reset=is_reset)


def state(job: int = 0, *, step: str = "idle", asked: int = 0, fed: int = 0) -> reports.State:
    return reports.State(
        t=next(T), u=0, step=step, armed=0, hopper="filled", job=job, asked=asked, fed=fed, lost=0  # type: ignore[arg-type]
    )  # fmt: skip


def card(job: int, index: int) -> reports.Card:
    return reports.Card(t=next(T), u=0, job=job, index=index, pulse=73_000, gap=0)


def done(job: int, fed: int, why: str = "complete", asked: int = 7) -> reports.Done:
    return reports.Done(t=next(T), u=0, job=job, asked=asked, fed=fed, why=why)  # type: ignore[arg-type]


def refused(job: int, why: str) -> reports.Refused:
    return reports.Refused(t=next(T), u=0, job=job, why=why)  # type: ignore[arg-type]


def fault(kind: str) -> reports.Fault:
    return reports.Fault(t=next(T), u=0, kind=kind, detail=3 if kind == "overflow" else 0)  # type: ignore[arg-type]


def cleared() -> reports.Cleared:
    return reports.Cleared(t=next(T), u=0)


class Table:
    """A Pico that has been greeted and may run its motors."""

    def __init__(self, last_job: int = 0, *, armed: bool = True) -> None:
        self.line = Line()
        self.pico = Pico(self.line, Layout(seats=4))
        if armed:
            self.pico.shoe.arm()
        self.hear(hello(), state(last_job))
        self.first = self.line.take()

    def hear(self, *events: Event) -> list[tuple[str, int, int, str]]:
        """What the shoe reports after this: kind, job, cards, fault."""
        self.line.coming.extend(events)
        return [(one.kind, one.job, one.n, one.fault) for one in self.pico.poll() if isinstance(one, ShoeReport)]

    def feed(self, job: int, seat: int = 1, n: int = 7) -> list[Command]:
        self.pico.shoe.feed(Feed(job, seat, n))
        return self.line.take()


def test_a_pico_gets_the_layout_of_the_table_before_all_else() -> None:
    table = Table()
    places = [one for one in table.first if isinstance(one, Place)]
    assert isinstance(table.first[0], commands.Config)
    assert [(one.seat, one.angle) for one in places] == [(0, 0), (1, 900), (2, -1800), (3, -900)]
    assert table.first.index(Go()) > table.first.index(places[-1])


def test_angles_must_be_one_for_each_seat() -> None:
    with pytest.raises(ValueError, match="2 angles for 4 seats"):
        Layout(seats=4, angles=(0.0, 90.0)).commands()


def test_the_motors_may_not_run_before_a_person_says_go() -> None:
    table = Table(armed=False)
    assert Go() not in table.first
    assert table.feed(1) == []
    table.pico.shoe.arm()
    assert table.line.take() == [Go(), Deal(job=1, seat=1, n=7)]


def test_a_job_is_sent_and_its_end_is_reported_with_what_really_passed() -> None:
    table = Table()
    assert table.feed(1) == [Deal(job=1, seat=1, n=7)]
    assert table.hear(card(1, 1), card(1, 2), done(1, 6, "jam"), fault("jam")) == [
        ("fed", 1, 6, ""),
        ("fault", 1, 0, "jam"),
    ]


def test_jobs_are_sent_one_after_the_other() -> None:
    table = Table()
    assert table.feed(1) == [Deal(job=1, seat=1, n=7)]
    assert table.feed(2, seat=2) == []
    table.hear(done(1, 7))
    assert table.line.take() == [Deal(job=2, seat=2, n=7)]


def test_the_same_job_twice_is_only_reported_again() -> None:
    table = Table()
    table.feed(1)
    assert table.feed(1) == []
    (first,) = table.hear(done(1, 7))
    assert table.feed(1) == []
    assert table.hear() == [first]


def test_numbers_on_the_wire_go_on_from_what_the_pico_remembers() -> None:
    table = Table(last_job=40)
    assert table.feed(1) == [Deal(job=41, seat=1, n=7)]
    assert table.hear(done(41, 7)) == [("fed", 1, 7, "")]


def test_after_a_silence_the_job_is_sent_again_and_the_end_comes_once() -> None:
    table = Table()
    table.feed(1)
    table.hear(Silent(t=next(T)))
    assert table.pico.alarm() == ("gone", ""), "the usual cause"
    assert table.feed(2) == []
    table.hear(hello(is_new=False))
    assert [one for one in table.line.take() if isinstance(one, Go | Deal)] == [Go(), Deal(job=1, seat=1, n=7)]
    assert table.hear(done(1, 7), done(1, 7)) == [("fed", 1, 7, "")]
    assert table.pico.alarm() is None


def test_no_job_is_in_doubt_because_the_pico_started_twice_before_anybody_looked() -> None:
    """Both states wait on the line; the job is sent because of the second, so the restart cannot have lost it."""
    table = Table()
    table.hear(hello())
    table.line.take()
    assert table.feed(1) == []
    assert table.hear(state(), Silent(t=next(T)), hello(is_reset=True), state()) == []
    assert [one for one in table.line.take() if isinstance(one, Deal)] == [Deal(job=1, seat=1, n=7)]
    assert table.pico.shoe.fault == ""
    assert table.hear(done(1, 7)) == [("fed", 1, 7, "")]


@pytest.mark.parametrize("is_one_batch", [True, False])
def test_no_job_is_in_doubt_that_no_session_has_carried(is_one_batch: bool) -> None:
    """The Pico started anew after the end of the job before was read, and before the next could be sent."""
    table = Table()
    table.feed(1)
    table.feed(2, seat=2)
    table.line.take()
    ended, restarted = done(1, 7), (Silent(t=next(T)), hello(is_reset=True), state())
    if is_one_batch:
        told = table.hear(ended, *restarted)
    else:
        table.line.is_known = False
        told = table.hear(ended)
        table.line.is_known = True
        told += table.hear(*restarted)
    assert told == [("fed", 1, 7, "")]
    assert [one for one in table.line.take() if isinstance(one, Deal)] == [Deal(job=2, seat=2, n=7)]
    assert table.hear(done(2, 7)) == [("fed", 2, 7, "")]


def test_a_refusal_of_one_sending_says_nothing_of_the_others() -> None:
    """The motors were disarmed when the first came; the second is carried out when the Pico loses its power."""
    table = Table()
    table.feed(1)
    table.hear(Silent(t=next(T)), hello(is_new=False))
    table.line.is_known = False
    assert table.hear(refused(1, "disarmed"), card(1, 1)) == []
    table.line.is_known = True
    assert table.hear(hello(is_reset=True), state(0)) == [("fault", 1, 0, DOUBT)]


def test_a_job_that_was_sent_twice_and_refused_twice_is_not_in_doubt_when_the_power_is_lost() -> None:
    table = Table()
    table.feed(1)
    table.hear(Silent(t=next(T)), hello(is_new=False))
    assert table.hear(refused(1, "fault"), refused(1, "fault")) == [("fault", 0, 0, "not-cleared")]
    assert table.hear(hello(is_reset=True), state(0)) == []


def test_a_job_that_was_begun_before_a_reset_is_in_doubt_when_the_power_is_lost_after_it() -> None:
    table = Table()
    table.feed(1)
    table.hear(hello(is_reset=True, cause="watchdog"), state(1, step="fault", asked=7, fed=2))
    assert table.hear(hello(is_reset=True), state(0)) == [("fault", 1, 0, DOUBT)]


def test_a_job_of_an_earlier_run_is_asked_for_again_when_it_was_refused() -> None:
    table = Table()
    table.pico.shoe.recover([Feed(-57, 1, 7, number=57)], "")
    assert table.hear() == [("fault", -57, 0, DOUBT)], "this Pico remembers no job"
    pico = Pico(line := Line(), Layout(seats=4))
    pico.shoe.recover([Feed(-57, 1, 7, number=57)], "")
    assert pico.poll() == (), "before the Pico has reported, nobody knows"
    line.coming += [hello(), state(57)]
    pico.poll()
    asked = Deal(job=57, seat=1, n=7)
    assert line.take().count(asked) == 1
    line.coming += [refused(57, "busy")]
    pico.poll()
    assert line.take() == [asked]


REPORTS = [
    pytest.param([reports.Done(t=71.0, u=0.25, job=1, asked=7, fed=7, why="complete")], 1, id="fed"),
    pytest.param([reports.Done(t=71.0, u=0.25, job=1, asked=7, fed=0, why="empty")], 2, id="empty"),
    pytest.param([reports.Done(t=71.0, u=0.25, job=1, asked=7, fed=2, why="in-doubt")], 1, id="in-doubt"),
    pytest.param([reports.Fault(t=71.0, u=0.25, kind="jam", detail=0)], 1, id="fault"),
    pytest.param([reports.Cleared(t=71.0, u=0.25)], 1, id="cleared"),
    pytest.param([reports.Hopper(t=71.0, u=0.25, level="filled")], 1, id="loaded"),
    pytest.param([reports.Refused(t=71.0, u=0.25, job=1, why="fault")], 1, id="refused-for-a-fault"),
    pytest.param([reports.Refused(t=71.0, u=0.25, job=1, why="no-seat")], 1, id="refused-without-a-seat"),
    pytest.param([hello(), replace(state(1, step="fault"), t=71.0, u=0.25)], 1, id="fault-of-the-state"),
    pytest.param([hello(is_reset=True), replace(state(0), t=71.0, u=0.25)], 1, id="doubt-of-the-state"),
]


@pytest.mark.parametrize(("events", "n"), REPORTS)
def test_a_report_has_the_time_of_the_message_that_it_follows(events: list[Event], n: int) -> None:
    table = Table()
    table.feed(1)
    table.line.coming += events
    assert [(one.t, one.u) for one in table.pico.poll()] == [(71.0, 0.25)] * n


def test_less_than_no_cards_cannot_be_counted_and_the_doubt_lasts() -> None:
    table = in_doubt()
    table.pico.shoe.settle(-1)
    assert table.pico.shoe.in_doubt == (Feed(1, 1, 7), 2)
    assert table.pico.poll() == ()
    table.pico.shoe.settle(0)
    assert [(one.kind, one.n) for one in table.pico.poll() if isinstance(one, ShoeReport)] == [("fed", 0)]


def test_a_fault_names_the_seat_of_its_job() -> None:
    table = in_doubt()
    table.pico.shoe.settle(7)
    table.pico.poll()
    table.line.coming.append(fault("jam"))
    (told,) = table.pico.poll()
    assert isinstance(told, ShoeReport)
    assert (told.job, told.seat) == (1, 1)


def test_a_fault_that_is_cleared_enables_no_motors_that_nobody_has_enabled() -> None:
    table = Table(armed=False)
    table.pico.shoe.clear()
    assert table.line.take() == [Clear()]


def test_a_refused_job_is_not_in_doubt_when_the_power_is_lost() -> None:
    table = Table()
    deal = table.feed(1)
    table.hear(hello(is_reset=True), state(0))
    assert table.pico.shoe.fault == DOUBT
    table = Table()
    table.feed(1)
    table.hear(refused(1, "fault"))
    assert table.hear(hello(is_reset=True), state(0)) == []
    table.line.take()
    table.pico.shoe.clear()
    table.hear(cleared())
    assert [one for one in table.line.take() if isinstance(one, Deal)] == deal


@pytest.mark.parametrize(
    ("remembered", "cause"),
    [pytest.param(1, "watchdog", id="the-job-itself"), pytest.param(40, "watchdog", id="the-job-before")],
)
def test_after_a_reset_a_job_that_the_pico_can_account_for_is_sent_again(remembered: int, cause: str) -> None:
    table = Table(last_job=0 if remembered == 1 else 40)
    deal = table.feed(1)
    assert table.hear(hello(is_reset=True, cause=cause), state(remembered)) == []
    assert [one for one in table.line.take() if isinstance(one, Deal)] == deal


def in_doubt() -> Table:
    table = Table()
    table.feed(1)
    table.feed(2)
    assert table.hear(card(1, 1), card(1, 2), hello(is_reset=True), state(0)) == [("fault", 1, 0, DOUBT)]
    table.line.take()
    return table


def test_where_the_power_was_lost_in_mid_job_nothing_is_fed_until_a_person_has_counted() -> None:
    table = in_doubt()
    assert table.pico.shoe.in_doubt == (Feed(1, 1, 7), 2)
    table.pico.shoe.clear()
    table.pico.shoe.arm()
    assert table.hear(hello(is_new=False)) == []
    assert not [one for one in table.line.take() if isinstance(one, Deal | Clear)]


def test_what_the_person_counted_is_what_was_fed_and_play_goes_on() -> None:
    table = in_doubt()
    table.pico.shoe.settle(3)
    assert table.line.take() == [Clear(), Go()]
    assert table.hear(cleared()) == [("fed", 1, 3, ""), ("ready", 0, 0, "")]
    assert table.line.take() == [Deal(job=2, seat=1, n=7)]
    assert table.pico.shoe.in_doubt is None


def test_a_fault_whose_report_was_lost_is_reported_when_a_job_is_refused() -> None:
    table = Table()
    table.feed(1)
    assert table.hear(refused(1, "fault")) == [("fault", 0, 0, "not-cleared")]
    table.line.take()
    assert table.hear() == []
    assert table.line.take() == [], "nothing is told before a person has cleared it"
    table.pico.shoe.handle(Press(t=next(T), seat=0, key="go"))
    assert Clear() in table.line.take()
    table.hear(cleared())
    assert table.line.take() == [Deal(job=1, seat=1, n=7)]


def test_a_job_whose_end_was_among_lost_reports_is_asked_for_again() -> None:
    table = Table()
    deal = table.feed(1)
    assert table.hear(fault("overflow")) == []
    assert [one for one in table.line.take() if isinstance(one, Deal)] == deal


def test_a_button_where_nobody_sits_says_nothing() -> None:
    table = Table()
    table.line.coming = [reports.Press(t=1.0, u=0, mask=0b11_0000_0010)]
    assert table.pico.poll() == (Press(t=1.0, seat=1, key="uno", clock=CLOCK),)


def test_counted_while_the_pico_is_gone_the_next_go_clears_it() -> None:
    table = in_doubt()
    table.pico.shoe.settle(3)
    table.line.take()
    # The Pico was reset again before it read that the doubt is cleared.
    assert table.hear(hello(is_reset=True), state(0)) == [("fed", 1, 3, "")]
    assert table.pico.shoe.fault, "it waits for help still"
    table.line.take()
    table.pico.shoe.handle(Press(t=next(T), seat=0, key="go"))
    assert Clear() in table.line.take()
    assert table.hear(cleared()) == [("ready", 0, 0, "")]
    assert table.pico.shoe.fault == ""


@pytest.mark.parametrize(
    ("known", "comes"),
    [
        pytest.param(0, [("fault", -57, 0, DOUBT)], id="without-a-memory"),
        pytest.param(20, [("fault", -57, 0, DOUBT)], id="dealt-by-another-program-since"),
        pytest.param(55, [("fault", -57, 0, DOUBT)], id="two-jobs-before"),
        pytest.param(56, [("fed", -57, 0, "")], id="the-job-before"),
        pytest.param(57, [], id="the-job-itself-is-asked-for"),
        pytest.param(58, [], id="a-later-job"),
    ],
)
def test_a_job_of_an_earlier_run_counts_as_never_heard_of_only_by_a_pico_that_remembers_the_one_before(
    known: int, comes: list[tuple[str, int, int, str]]
) -> None:
    table = Table(armed=False)
    table.pico.shoe.recover([Feed(-57, 1, 7, number=57)], "")
    table.line.coming += [hello(), state(known)]
    told = [one for one in table.pico.poll() if isinstance(one, ShoeReport)]
    assert [(one.kind, one.job, one.n, one.fault) for one in told] == comes
    assert {one.u for one in told} <= {0.0}
    assert [one for one in table.line.take() if isinstance(one, Deal)] == [Deal(job=57, seat=1, n=7)] * (known >= 57)


def test_where_the_power_was_lost_and_another_program_dealt_since_the_job_under_way_is_in_doubt() -> None:
    table = Table(last_job=56)
    table.feed(1)
    assert table.hear(card(57, 1), hello(is_reset=True), state(20)) == [("fault", 1, 0, DOUBT)]
    assert not [one for one in table.line.take() if isinstance(one, Deal)]


def test_jobs_go_on_from_the_last_of_another_pico_that_was_plugged_in_instead() -> None:
    table = Table(last_job=3)
    table.hear(hello(is_reset=True), state(200))
    table.line.take()
    assert table.feed(1) == [Deal(job=201, seat=1, n=7)]


def test_power_lost_again_while_a_person_counts_asks_only_once() -> None:
    table = in_doubt()
    assert table.hear(hello(is_reset=True), state(0)) == []
    assert table.pico.shoe.in_doubt is not None


def test_power_lost_before_the_job_was_sent_is_no_doubt() -> None:
    table = Table(armed=False)
    table.feed(1)
    assert table.hear(hello(is_reset=True), state(0)) == []
    table.pico.shoe.arm()
    assert Deal(job=1, seat=1, n=7) in table.line.take()


def test_a_job_that_the_pico_itself_doubts_is_settled_by_a_person() -> None:
    table = Table()
    table.feed(1)
    assert table.hear(fault("in-doubt"), done(1, 2, "in-doubt")) == [("fault", 1, 0, DOUBT)]
    table.pico.shoe.settle(2)
    assert table.hear(cleared()) == [("fed", 1, 2, ""), ("ready", 0, 0, "")]


def test_trouble_waits_for_a_person_and_then_the_next_job_is_sent() -> None:
    table = Table()
    table.feed(1)
    table.feed(2)
    assert table.hear(done(1, 3, "jam"), fault("jam")) == [("fed", 1, 3, ""), ("fault", 1, 0, "jam")]
    assert table.line.take() == [Deal(job=2, seat=1, n=7)], "it is told before the trouble is known"
    assert table.hear(refused(2, "fault")) == []
    assert table.line.take() == []
    table.pico.shoe.clear()
    assert table.line.take() == [Clear(), Go()]
    assert table.hear(cleared()) == [("ready", 0, 0, "")]
    assert table.line.take() == [Deal(job=2, seat=1, n=7)]


def test_trouble_from_before_this_program_began_is_reported() -> None:
    for asked, fed in ((0, 0), (7, 3), (7, 7)):
        table = Table()
        table.line.coming += [hello(), state(3, step="fault", asked=asked, fed=fed)]
        (told,) = table.pico.poll()
        assert isinstance(told, ShoeReport)
        assert (told.kind, told.fault, told.job, told.seat) == ("fault", "not-cleared", 0, 0)


def test_a_card_too_many_from_before_this_program_began_is_reported_as_such() -> None:
    table = Table()
    assert table.hear(hello(), state(3, step="fault", asked=7, fed=8)) == [("fault", 0, 0, "surplus")]


def test_a_motor_that_was_disarmed_by_silence_is_armed_again_for_who_said_go() -> None:
    table = Table()
    deal = table.feed(1)
    table.hear(refused(1, "disarmed"))
    assert table.line.take() == [Go(), *deal]


def test_an_empty_hopper_where_cards_should_be_is_a_fault_and_not_asked_again_and_again() -> None:
    table = Table()
    table.feed(1)
    assert table.hear(done(1, 0, "empty")) == [("fed", 1, 0, ""), ("fault", 1, 0, "empty")]


def test_a_hopper_that_runs_out_is_no_fault_and_filling_it_is_reported() -> None:
    table = Table()
    table.feed(1)
    filled = reports.Hopper(t=next(T), u=0, level="filled")
    assert table.hear(done(1, 5, "empty"), filled) == [("fed", 1, 5, ""), ("loaded", 0, 0, "")]


def test_a_stuck_button_does_not_stop_the_shoe() -> None:
    table = Table()
    assert table.hear(fault("stuck-button")) == []
    assert table.feed(1) != []


def test_seats_that_pressed_in_the_same_instant_have_the_same_time() -> None:
    table = Table()
    table.line.coming = [reports.Press(t=12.5, u=0.001, mask=0b1101)]
    assert table.pico.poll() == tuple(Press(t=12.5, u=0.001, seat=seat, key="uno", clock=CLOCK) for seat in (0, 2, 3))
    assert table.pico.poll() == ()


def test_the_ring_shows_and_shows_again_after_a_reset() -> None:
    table = Table()
    table.pico.ring.show(Light(2, "right", "blue", "penalty", draws=(1, 6)))
    shown: list[Command] = [Ring(turn=1, direction="right", color="blue", mode="penalty", n=6), Lamps(mask=4)]
    assert table.line.take() == shown
    table.hear(hello(is_reset=True), state())
    assert [one for one in table.line.take() if isinstance(one, Ring | Lamps)] == shown
    table.pico.ring.show(Light(None, "left", None))
    assert table.line.take() == [Ring(turn=-1, direction="left", color="none", mode="play", n=0), Lamps(mask=0)]
    table.pico.ring.show(Light(0, "left", "red", "choose", seats=(1, 3)))
    assert table.line.take() == [
        Ring(turn=0, direction="left", color="red", mode="choose", n=0b1010),
        Lamps(mask=0b1010),
    ]


def test_what_finds_no_room_is_sent_when_there_is_some() -> None:
    table = Table()
    table.line.is_full = True
    assert table.feed(1) == []
    table.line.is_full = False
    table.hear()
    assert table.line.take() == [Deal(job=1, seat=1, n=7)]


def test_firmware_of_another_version_is_trouble_with_a_remedy() -> None:
    table = Table()
    table.hear(Mismatch(t=next(T), error=mismatch(0)))
    kind, detail = table.pico.alarm() or ("", "")
    assert kind == "other-firmware"
    assert "croupier firmware install" in detail
    assert table.feed(1) == []


def test_cards_put_back_by_a_person_are_reported() -> None:
    table = Table()
    table.pico.shoe.returned(2, 1)
    (report,) = table.pico.poll()
    assert isinstance(report, ShoeReport)
    assert (report.kind, report.seat, report.n) == ("returned", 2, 1)


@given(st.dictionaries(st.integers(0, 9), st.integers(1, 10), min_size=1), st.integers(100, 3000))
def test_a_plan_brings_each_seat_what_it_lacks(lacking: dict[int, int], speed: int) -> None:
    dealt = Counter[int]()
    for seat, n in Layout(seats=10, speed=speed).plan(lacking):
        assert n > 0
        dealt[seat] += n
    assert dealt == lacking


def test_a_plan_saves_turns_by_the_configured_motors() -> None:
    hands = dict.fromkeys(range(4), 7)
    assert Layout(seats=4, angles=(0, 180, 90, -90)).plan(hands) == ((0, 7), (3, 7), (2, 7), (1, 7))
    assert len(Layout(seats=4, speed=100).plan(hands)) > 4  # slow feeds leave time to go round more than once


def test_lost_reports_are_an_alarm_until_a_person_acknowledges_it() -> None:
    table = Table()
    table.hear(replace(fault("overflow"), detail=3))
    assert table.pico.alarm() == ("overflow", "3 reports")
    table.hear(replace(state(), lost=3))
    assert table.pico.alarm() == ("overflow", "3 reports"), "the same three"
    table.pico.acknowledge()
    assert table.pico.alarm() is None
    table.hear(replace(state(), lost=4))
    assert table.pico.alarm() == ("overflow", "1 reports"), "known from the state alone"


def test_reports_that_were_lost_before_a_session_are_no_alarm() -> None:
    table = Table()
    table.hear(hello(is_reset=True), replace(state(), lost=7))
    assert table.pico.alarm() is None


def key(name: Key) -> Press:
    return Press(t=next(T), seat=0, key=name)


def counted(n: int) -> CommandGiven:
    return CommandGiven(t=next(T), command=CountFedCards(n))


def kinds(reports: Sequence[object]) -> list[tuple[str, int, int]]:
    return [(one.kind, one.seat, one.n) for one in reports if isinstance(one, ShoeReport)]


def test_go_gives_back_what_was_fed_too_much_and_clears_the_fault() -> None:
    table = Table()
    table.feed(1, seat=2, n=3)
    table.feed(2, seat=2, n=3)
    table.hear(done(1, 4, "double-feed", 3), fault("double-feed"))
    table.line.take()
    table.pico.shoe.handle(key("red"))
    assert table.line.take() == [], "another key changes nothing"
    table.pico.shoe.handle(key("go"))
    assert table.line.take() == [Clear(), Go()]
    assert kinds(table.pico.poll()) == [("returned", 2, 1)]
    table.hear(cleared(), done(2, 5, "double-feed", 3))
    table.pico.shoe.handle(key("go"))
    assert kinds(table.pico.poll()) == [("returned", 2, 2)], "what was given back before does not count again"


def test_cards_fed_too_much_to_a_seat_add_up_until_they_are_given_back() -> None:
    table = Table()
    table.feed(1, seat=2, n=3)
    table.feed(2, seat=2, n=3)
    table.feed(3, seat=3, n=3)
    table.hear(done(1, 4, asked=3), done(2, 5, asked=3), done(3, 3, asked=3))
    table.pico.shoe.handle(key("go"))
    assert kinds(table.pico.poll()) == [("returned", 2, 3)]


def test_go_arms_motors_that_are_not_armed_and_clears_nothing_where_there_is_no_fault() -> None:
    table = Table(armed=False)
    table.pico.shoe.handle(key("go"))
    assert table.line.take() == [Go()]
    assert table.pico.shoe.is_armed
    table.pico.shoe.handle(key("go"))
    assert table.line.take() == []


def test_the_count_that_a_person_reports_settles_the_job_in_doubt_and_nothing_else() -> None:
    table = in_doubt()
    table.pico.shoe.handle(counted(3))
    table.pico.shoe.handle(counted(4))
    told = [one for one in table.pico.poll() if isinstance(one, ShoeReport)]
    assert kinds(told) == [("fed", 1, 3)]
    assert (told[0].asked, told[0].u) == (7, 0.0)
    table = Table()
    table.pico.shoe.handle(counted(3))
    assert table.pico.poll() == ()
    table.feed(1)
    table.pico.shoe.handle(counted(3))
    assert table.pico.poll() == (), "a job under way is not in doubt"


def test_a_surplus_before_a_doubt_is_a_fault_after_it_and_any_other_fault_is_not() -> None:
    for before, after, sent in (("surplus", "surplus", []), ("jam", DOUBT, [Clear(), Go()])):
        table = Table()
        table.feed(1)
        table.hear(fault(before), done(1, 2, "in-doubt"))
        assert table.pico.shoe.fault == DOUBT
        table.line.take()
        table.hear(cleared())
        assert table.pico.shoe.fault == DOUBT, "only the count ends the doubt"
        table.pico.shoe.settle(2)
        assert (table.pico.shoe.fault, table.line.take()) == (after, sent)
        table.hear(cleared())
        assert table.pico.shoe.fault == "", "the Pico has cleared it"


def test_a_person_sees_the_most_cards_that_anything_says_have_passed() -> None:
    for passed, fed, most in ((1, 3, 3), (4, 2, 4)):
        table = Table()
        table.feed(1)
        table.hear(*(card(1, index + 1) for index in range(passed)), card(9, 7), done(1, fed, "in-doubt"))
        assert table.pico.shoe.in_doubt == (Feed(1, 1, 7), most)
    table = Table()
    table.feed(1)
    table.hear(hello(is_reset=True), state(0))
    assert table.pico.shoe.in_doubt == (Feed(1, 1, 7), 0)


def test_the_jobs_of_an_earlier_run_are_settled_one_by_one_and_new_ones_wait() -> None:
    table = Table()
    shoe = table.pico.shoe
    shoe.recover([Feed(-56, 1, 7, number=56), Feed(-57, 2, 7, number=57)], "jam")
    assert (shoe.fault, shoe.is_recovering, shoe.is_busy) == ("jam", True, True)
    assert table.hear(hello(), state(56)) == []
    assert Deal(job=56, seat=1, n=7) in table.line.take()
    shoe.feed(Feed(1, 3, 1))
    assert table.hear(done(56, 7)) == [("fed", -56, 7, ""), ("fed", -57, 0, "")]
    assert (shoe.is_recovering, shoe.is_busy) == (False, True)
    assert table.line.take() == [], "the fault of the earlier run is not cleared yet"
    assert table.hear(cleared()) == [("ready", 0, 0, "")]
    assert table.line.take() == [Deal(job=57, seat=3, n=1)]
    table.hear(done(57, 1, asked=1))
    assert not shoe.is_busy


def test_reports_carry_the_time_of_what_the_pico_said_last() -> None:
    table = in_doubt()
    last = state(0)
    table.hear(last)
    table.pico.shoe.settle(1)
    table.pico.shoe.returned(1, 1)
    assert [one.t for one in table.pico.poll()] == [last.t, last.t]
    greeting = hello()
    table.hear(greeting)
    table.pico.shoe.returned(1, 1)
    assert [one.t for one in table.pico.poll()] == [greeting.t]


def test_a_seat_without_a_place_is_a_fault_and_a_refusal_of_another_job_is_none() -> None:
    table = Table()
    deal = table.feed(1)
    assert table.hear(refused(9, "no-seat"), refused(9, "disarmed")) == []
    assert table.line.take() == []
    assert table.hear(refused(1, "no-seat")) == [("fault", 0, 0, "no-seat")]
    assert table.hear(refused(1, "no-seat")) == [], "it is told once"
    table.pico.shoe.clear()
    table.line.take()
    table.hear(cleared())
    assert table.line.take() == deal


def test_a_job_under_way_is_sent_again_when_the_fault_is_cleared() -> None:
    table = Table()
    deal = table.feed(1)
    table.hear(fault("longest-run"))
    assert table.line.take() == []
    table.hear(cleared())
    assert table.line.take() == deal


def test_another_game_forgets_the_jobs_of_the_last_once_none_is_under_way() -> None:
    table = Table()
    shoe = table.pico.shoe
    table.feed(1, seat=2, n=3)
    table.feed(2, seat=3, n=3)
    assert not shoe.begin_game(), "the first job is under way"
    table.line.coming.append(done(1, 4, "double-feed", 3))
    table.pico.alarm()
    assert not shoe.begin_game(), "its report is not read yet"
    assert kinds(table.pico.poll()) == [("fed", 2, 4)]
    assert shoe.begin_game()
    assert table.line.take() == [], "the second job was forgotten"
    shoe.handle(key("go"))
    assert table.pico.poll() == (), "all cards are put together, the surplus as well"
    assert table.feed(1, seat=0, n=1) == [Deal(job=2, seat=0, n=1)], "the numbers of jobs begin anew"
    shoe.recover([Feed(-9, 1, 7, number=9)], "")
    assert not shoe.begin_game(), "the outcome of an earlier run is not known"


def test_what_waited_when_another_game_was_to_begin_is_fed_if_a_correction_goes_before_it() -> None:
    table = Table()
    table.feed(1, seat=2, n=3)
    table.feed(2, seat=3, n=2)
    assert not table.pico.shoe.begin_game()
    table.line.coming.append(done(1, 3, "complete", 3))
    assert kinds(table.pico.poll()) == [("fed", 2, 3)]
    assert table.line.take() == [], "the cards may be collected already"
    table.pico.poll()
    assert table.line.take() == [Deal(job=2, seat=3, n=2)]


def test_a_job_waits_until_its_number_is_recorded() -> None:
    class Disk:
        is_full = True
        numbers: ClassVar[list[int]] = []

        def record(self, number: int, feed: Feed) -> bool:
            assert feed in (Feed(1, 1, 7), Feed(2, 1, 7))
            self.numbers.append(number)
            return not self.is_full

    disk, line = Disk(), Line()
    pico = Pico(line, Layout(seats=4), disk)
    pico.shoe.arm()
    line.coming += [hello(), state(TICKS - 2)]
    pico.poll()
    line.take()
    pico.shoe.feed(Feed(1, 1, 7))
    pico.poll()
    assert (line.take(), set(disk.numbers)) == ([], {TICKS - 1})
    disk.is_full = False
    pico.poll()
    assert line.take() == [Deal(job=TICKS - 1, seat=1, n=7)]
    line.coming.append(done(TICKS - 1, 7))
    pico.poll()
    pico.shoe.feed(Feed(2, 1, 7))
    assert line.take() == [Deal(job=1, seat=1, n=7)], "numbers begin anew at their end"


def test_a_seat_that_got_fewer_cards_gives_none_back() -> None:
    table = Table()
    table.feed(1)
    table.hear(done(1, 3, "empty"))
    table.pico.shoe.handle(key("go"))
    assert kinds(table.pico.poll()) == []


def test_a_job_is_not_sent_again_at_each_state_nor_ended_by_another_job() -> None:
    table = Table()
    table.feed(1)
    assert table.hear(state(1), done(9, 7)) == []
    assert table.line.take() == []


def test_a_reset_concerns_the_jobs_before_it_only() -> None:
    table = Table(last_job=56)
    table.hear(hello(is_reset=True), state(56))
    table.line.take()
    deal = table.feed(1)
    assert table.hear(hello(), state(20)) == []
    assert table.line.take()[-1:] == deal, "the Pico kept its power, so no card can be lost"


def test_words_that_mean_something_else_do_nothing() -> None:
    table = Table()
    assert table.hear(reports.Hopper(t=next(T), u=0, level="empty")) == []
    deal = table.feed(5)
    assert table.hear(refused(1, "busy")) == []
    assert table.line.take() == deal, "the motors were not disarmed"
    table.hear(done(1, 0, "jam"))
    assert table.pico.shoe.fault == "", "the report of the jam itself is still to come"


def test_jobs_may_come_in_any_order_of_their_numbers() -> None:
    table = Table()
    table.feed(5)
    table.feed(3)
    assert [job for _kind, job, _n, _fault in table.hear(done(1, 7), done(2, 7))] == [5, 3]
