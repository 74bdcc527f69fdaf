"""What waits to be said: in the order that matters, and never what is late or overtaken."""

from __future__ import annotations

from datetime import time

import pytest

from croupier.config.options import InvalidValue
from croupier_extras.voice.cues import Cue, CueQueue, is_quiet
from croupier_extras.voice.plugin import hours


def turn(name: str, t: float = 0.0) -> Cue:
    return Cue(text=f"It is {name}'s turn.", rank=2, topic="next", t=t)


def said(queue: CueQueue, now: float = 0.0) -> list[str]:
    texts = []
    while (cue := queue.pop(now)) is not None:
        texts.append(cue.text)
    return texts


def test_a_ruling_comes_before_a_turn_that_was_there_first() -> None:
    queue = CueQueue()
    queue.push([turn("Ben")])
    queue.push([Cue(text="Take it back.", rank=0, t=0.0)])
    assert said(queue) == ["Take it back.", "It is Ben's turn."]


def test_what_is_equally_urgent_is_said_in_its_order() -> None:
    queue = CueQueue()
    queue.push([Cue(text="Ann draws 2 cards.", rank=1, t=0.0), Cue(text="Ann misses a turn.", rank=1, t=0.0)])
    queue.push([Cue(text="Ben draws 1 card.", rank=1, t=0.0)])
    assert said(queue) == ["Ann draws 2 cards.", "Ann misses a turn.", "Ben draws 1 card."]


def test_a_turn_that_is_over_is_not_said() -> None:
    queue = CueQueue()
    queue.push([turn("Ann")])
    queue.push([turn("Ben")])
    assert said(queue) == ["It is Ben's turn."]


def test_what_is_ruled_at_once_does_not_overtake_itself() -> None:
    queue = CueQueue()
    queue.push([turn("Ann"), turn("Ben")])
    assert said(queue) == ["It is Ann's turn.", "It is Ben's turn."]


def test_what_is_too_old_is_not_said() -> None:
    queue = CueQueue()
    queue.push([Cue(text="old", max_age_s=5.0, t=0.0), Cue(text="fresh", max_age_s=20.0, t=0.0)])
    assert said(queue, now=5.1) == ["fresh"]


@pytest.mark.parametrize(
    ("text", "now", "quiet"),
    [
        pytest.param("", time(3), False, id="never"),
        pytest.param("22:00-07:00", time(22), True, id="from-the-minute"),
        pytest.param("22:00-07:00", time(6, 59), True, id="over-midnight"),
        pytest.param("22:00-07:00", time(7), False, id="until-the-minute"),
        pytest.param("13:00-15:00", time(14), True, id="after-lunch"),
        pytest.param("13:00-15:00", time(22), False, id="not-at-night"),
    ],
)
def test_quiet_hours(text: str, now: time, quiet: bool) -> None:
    assert is_quiet(hours(text), now) is quiet


@pytest.mark.parametrize("text", ["22-7", "24:00-07:00", "22:00-07:60", "22:00", "always"])
def test_other_hours_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidValue, match=r"expected a start and an end, such as 22:00-07:00"):
        hours(text)
