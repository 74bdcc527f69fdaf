"""Greeting, sessions, silence and clock, with the firmware's own end of the line."""

from __future__ import annotations

import pytest

from croupier.errors import ProtocolMismatch
from croupier.link.commands import Deal, Go, Lamps, Stop
from croupier.link.conversation import LONGEST_S, Greeted, Mismatch, Silent
from croupier.link.reports import Press, State
from tablewire import messages
from tests.link.rig import Rig
from tests.wire.vectors import encode


def greeted(**how: float) -> Rig:
    rig = Rig(**how)
    rig.run(0.5)
    rig.told.clear()
    return rig


def test_the_pico_is_greeted_and_says_how_it_stands() -> None:
    rig = Rig()
    rig.run(0.5)
    (hello,), (state,) = rig.of(Greeted), rig.of(State)
    assert (hello.board, hello.world, hello.cause, hello.is_new, hello.is_reset) == (
        "test", "SIMULATION", "power", True, False
    )  # fmt: skip
    assert (state.step, state.armed) == ("idle", 0)
    assert rig.told.index(hello) < rig.told.index(state)


def test_commands_are_carried_out_once_and_in_order() -> None:
    rig = greeted()
    assert rig.host.send(Go())
    assert rig.host.send(Deal(job=1, seat=2, n=7))
    rig.run(0.2)
    assert rig.heard == [("go",), ("deal", 1, 2, 7)]
    assert rig.host.unacknowledged == 0


def test_what_no_pico_may_get_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="no such seat: 10"):
        greeted().host.send(Deal(job=1, seat=10, n=7))


def test_nothing_is_sent_in_a_session_whose_greeting_nobody_has_read() -> None:
    """What is sent follows from what the Pico reported; after a reset it would follow from another Pico's reports."""
    rig = greeted()
    rig.are_events_read = False
    rig.start_pico()
    rig.run(0.5)
    assert rig.host.is_open
    assert not rig.host.send(Go())
    rig.are_events_read = True
    rig.run(0.1)
    assert rig.heard == []
    assert rig.host.send(Go())
    rig.run(0.1)
    assert rig.heard == [("go",)]


def test_without_a_pico_nothing_can_be_sent() -> None:
    assert not Rig().host.send(Go())


@pytest.mark.parametrize("drift", [-1e-4, 1e-4])
def test_a_report_comes_out_on_the_tables_clock_across_the_wrap_of_the_ticks(drift: float) -> None:
    rig = greeted(start=60.0, drift=drift)
    for _ in range(4):  # it wraps after 14 seconds
        rig.run(8)
        pressed, ticks = rig.now, rig.ticks
        rig.run(0.03)
        rig.pico.report("press", ticks, 4)
        rig.run(0.1)
        (press,) = rig.of(Press)
        rig.told.clear()
        assert abs(press.t - pressed) <= press.u < 0.01
        assert press.mask == 4


def test_a_press_of_several_seats_is_one_instant() -> None:
    rig = greeted()
    rig.pico.report("press", rig.ticks, 0b1000000001)
    rig.run(0.1)
    assert [press.mask for press in rig.of(Press)] == [0b1000000001]


def test_the_session_goes_on_when_the_cable_was_out_and_nothing_is_lost() -> None:
    rig = greeted()
    rig.plug(False)
    assert rig.host.send(Lamps(mask=3))
    rig.pico.report("press", rig.ticks, 1)
    rig.run(5)
    assert rig.pico.is_silent
    rig.plug(True)
    rig.run(0.5)
    assert [type(one) for one in rig.told] == [Silent, Greeted, Press]
    assert not rig.of(Greeted)[0].is_new
    assert rig.heard == [("lamps", 3)]


def test_after_a_reset_of_the_pico_a_new_session_begins() -> None:
    rig = greeted()
    rig.host.send(Stop())
    rig.start_pico("watchdog")
    rig.run(1)
    (hello,) = rig.of(Greeted)
    assert (hello.cause, hello.is_new, hello.is_reset) == ("watchdog", True, True)
    assert rig.heard == [], "what was told to the Pico before the reset is not for it any more"
    assert len(rig.of(State)) == 1


def test_a_pico_that_was_reset_while_unplugged_does_not_take_up_the_session() -> None:
    rig = greeted()
    rig.plug(False)
    rig.start_pico()
    rig.run(2)
    rig.plug(True)
    rig.run(1)
    assert [(one.is_new, one.is_reset) for one in rig.of(Greeted)] == [(True, True)]


def test_after_a_very_long_silence_old_reports_are_not_taken() -> None:
    rig = greeted()
    rig.plug(False)
    rig.run(0.1)
    rig.pico.report("press", rig.ticks, 1)
    rig.now += LONGEST_S
    rig.plug(True)
    rig.run(1)
    assert [one.is_new for one in rig.of(Greeted)] == [True]
    assert rig.of(Press) == []


def test_lost_pings_do_not_make_the_host_silent() -> None:
    rig = greeted()
    rig.loses = 3
    for _ in range(100):
        rig.run(0.05)
        assert not rig.pico.is_silent
    assert rig.told == []


def test_a_new_host_gets_its_own_session() -> None:
    rig = greeted()
    rig.host.send(Go())
    rig.run(0.1)
    other = Rig()
    rig.host = other.host
    rig.run(1)
    assert [one.is_new for one in rig.of(Greeted)] == [True]
    rig.host.send(Stop())
    rig.run(0.1)
    assert rig.heard == [("go",), ("stop",)]


def test_a_silent_host_is_not_written_to_but_for_a_greeting_each_second() -> None:
    rig = greeted()
    rig.plug(False)
    rig.run(1)
    written: list[bytes] = []
    rig.write = lambda data: written.append(bytes(data)) or len(data)  # type: ignore[method-assign, func-returns-value]
    rig.pico.report("press", rig.ticks, 1)
    rig.run(10)
    assert 9 <= sum(b"hello" in data for data in written) <= 11
    assert len(b"".join(written)) < 3000


def test_a_host_that_does_not_read_does_not_hold_up_the_pico() -> None:
    rig = greeted()
    rig.is_read = False
    for _ in range(100):
        rig.pico.report("press", rig.ticks, 1)
        rig.run(0.05)
    assert rig.pico.lost > 0
    rig.is_read = True
    rig.run(2)
    assert len(rig.of(Press)) + rig.pico.lost == 100


@pytest.mark.parametrize(
    ("version", "said"),
    [
        pytest.param(messages.VERSION + 1, "this program is older; update this program", id="newer-firmware"),
        pytest.param(messages.VERSION - 1, "the firmware is older; run croupier firmware install", id="older-firmware"),
        pytest.param(messages.VERSION, "with other messages; run croupier firmware install", id="same-number"),
    ],
)
def test_firmware_of_another_version_is_reported_in_one_line_with_the_remedy(version: int, said: str) -> None:
    rig = Rig()
    rig.host.receive(encode(0, 0, 0, f"hello {version} 12345 and something new"), 0.0)
    (event,) = rig.host.events()
    assert isinstance(event, Mismatch)
    assert isinstance(event.error, ProtocolMismatch)
    assert str(event.error).endswith(said)
    assert "\n" not in str(event.error)
    assert not rig.host.is_open
    assert not rig.host.send(Go())


def test_what_another_program_sent_is_carried_out_before_the_next_one_gets_the_state() -> None:
    """It was killed; else the state would say that its job was never begun, and it would then be fed all the same."""
    rig = greeted()
    session = rig.host._channel.session
    rig.is_plugged_in = False
    hello = f"hello {messages.VERSION} {messages.SCHEMA}"
    rig._to_pico = encode(session.number, 1, session.taken, "deal 1 2 7") + encode(0x77, 0, 0, hello)
    rig._to_pico += encode(0x77, 1, 0, "go") + encode(0x77, 0, 0, hello)
    order = []
    while rig._to_pico:
        commands = rig.pico.poll()
        order += ["state"] * rig.pico.is_new_session + [name for name, _ in commands]
    assert order == ["deal", "state", "go"]


def test_lines_that_waited_in_the_port_do_not_prove_to_the_firmware_that_the_host_still_speaks() -> None:
    """The motors stop half a second after the host's last line, not after the last of a queue was read."""
    rig = greeted()
    session = rig.host._channel.session
    rig._to_pico = b"".join(encode(session.number, 0, session.taken, f"ping {n}") for n in range(100))
    began = rig.now
    while rig._to_pico:
        rig.now += 0.05
        rig._set_clock()
        rig.pico.poll()
    assert rig.now - began > 0.5
    assert rig.pico.is_silent


def test_the_firmware_opens_nothing_for_a_host_of_another_version() -> None:
    rig = greeted()
    rig.is_plugged_in = False
    rig._to_pico = encode(0x77, 0, 0, f"hello {messages.VERSION + 1} 5 new")
    rig.run(0.1)
    rig._to_pico = encode(0x77, 1, 0, "go")
    rig.run(0.1)
    assert rig.heard == []
    assert rig.pico.is_silent
