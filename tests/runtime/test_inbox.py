"""The inbox gives events out in the order of time, no earlier than every source allows, and wakes nobody in vain."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from croupier.events import Press
from croupier.runtime.inbox import Inbox


def press(t: float, seat: int = 0) -> Press:
    return Press(t=t, seat=seat, key="uno")


def popped(inbox: Inbox) -> list[Press]:
    events = []
    while (event := inbox.pop()) is not None:
        assert isinstance(event, Press)
        events.append(event)
    return events


def test_an_event_waits_until_no_source_can_report_an_earlier_one() -> None:
    inbox = Inbox()
    inbox.mark("camera", 1.0)
    inbox.mark("pico", 0.5)
    inbox.put(press(0.8))
    inbox.collect()
    assert popped(inbox) == []
    inbox.put(press(0.6, seat=1))
    inbox.collect()
    inbox.mark("pico", 0.9)
    assert [event.seat for event in popped(inbox)] == [1, 0]
    assert inbox.is_empty


def test_events_of_the_same_time_keep_the_order_of_their_arrival() -> None:
    inbox = Inbox()
    inbox.put(press(1.0, 2), press(1.0, 0))
    inbox.put(press(1.0, 1))
    inbox.collect()
    assert [event.seat for event in popped(inbox)] == [2, 0, 1]


@given(st.lists(st.floats(0, 100), max_size=30), st.floats(0, 100))
def test_all_that_is_due_comes_in_the_order_of_time_and_nothing_is_lost(times: list[float], until: float) -> None:
    inbox = Inbox()
    inbox.put(*map(press, times))
    inbox.collect()
    inbox.mark("pico", until)
    assert [event.t for event in popped(inbox)] == sorted(t for t in times if t <= until)
    inbox.mark("pico", 100.0)
    assert [event.t for event in popped(inbox)] == sorted(t for t in times if t > until)


def test_a_source_without_news_wakes_nobody() -> None:
    """Sources are polled in each turn: a table that woke for each poll would never sleep."""
    inbox = Inbox()
    inbox.put()
    assert not inbox.wait(0)
    inbox.put(press(1.0))
    assert inbox.wait(0)
    inbox.wake()
    assert inbox.wait(0)
    assert not inbox.wait(0)
