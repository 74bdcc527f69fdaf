"""What the process that plays says, in which order, and how it fails."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import time
from typing import Any

import numpy as np
import pytest

from croupier_extras.errors import SoundUnavailable, VoiceUnavailable
from croupier_extras.voice.cues import Adjust, Cue, Prepare, SayCues, VoiceSettings
from croupier_extras.voice.player import Player
from croupier_extras.voice.synthesis import Samples, tones


class FakeSynthesizer:
    """Speaks each sentence as one sample for each letter; keeps what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.wrong = ""

    def synthesize(self, text: str) -> Samples:
        self.asked.append(text)
        if self.wrong:
            raise VoiceUnavailable(self.wrong)
        return np.full(len(text), 10000, np.int16)


class Ears:
    """Keeps what was played."""

    def __init__(self) -> None:
        self.heard: list[Samples] = []
        self.wrong = ""
        self.stops = 0
        self.meanwhile: Iterable[Any] = ()

    def play(self, samples: Samples) -> None:
        self.heard.append(samples)
        for happens in self.meanwhile:
            happens()
        if self.wrong:
            raise SoundUnavailable(self.wrong)

    def stop(self) -> bool:
        self.stops += 1
        return True


class Table:
    """A player with all that it needs."""

    def __init__(self, **settings: Any) -> None:
        self.now = 0.0
        self.speech, self.ears, self.reports = FakeSynthesizer(), Ears(), list[tuple[str, str]]()
        self.player = Player(
            VoiceSettings(**{"volume": 100} | settings), self.speech, self.ears,
            lambda part, wrong: self.reports.append((part, wrong)), lambda: self.now, lambda: time(23),
        )  # fmt: skip

    def say(self, *cues: Cue) -> None:
        self.player.receive(SayCues(cues))

    def all_said(self) -> list[int]:
        """How many samples each had that was played."""
        while self.player.step():
            pass
        return [len(samples) for samples in self.ears.heard]


def test_a_sound_and_its_sentence_are_heard_at_one_go() -> None:
    table = Table()
    table.say(Cue(text="UNO!", sound="uno", t=0.0))
    (length,) = table.all_said()
    assert length > len(tones("uno")) + 4
    assert np.array_equal(table.ears.heard[0][: len(tones("uno"))], tones("uno"))


@pytest.mark.parametrize(
    ("settings", "samples"),
    [
        pytest.param({"sounds": False}, [4], id="no-sounds"),
        pytest.param({"speech": False}, [len(tones("uno"))], id="no-speech"),
        pytest.param({"muted": True}, [], id="muted"),
        pytest.param({"volume": 0}, [], id="no-volume"),
        pytest.param({"quiet": (22 * 60, 7 * 60)}, [], id="quiet-hours"),
    ],
)
def test_what_the_settings_say_is_left_out(settings: dict[str, Any], samples: list[int]) -> None:
    table = Table(**settings)
    table.say(Cue(text="UNO!", sound="uno", t=0.0))
    assert table.all_said() == samples


def test_the_volume_may_be_changed_at_any_time() -> None:
    table = Table()
    table.say(Cue(text="loud", t=0.0))
    table.all_said()
    table.player.receive(Adjust(volume=50))
    table.say(Cue(text="soft", t=0.0))
    table.all_said()
    assert [samples.max() for samples in table.ears.heard] == [10000, 2500]


def test_muting_forgets_what_waits() -> None:
    table = Table()
    table.say(Cue(text="old", t=0.0))
    table.player.receive(Adjust(muted=True))
    table.player.receive(Adjust(muted=False))
    assert table.all_said() == []


def test_what_became_stale_while_something_else_was_said_is_dropped() -> None:
    table = Table()
    table.ears.meanwhile = [lambda: setattr(table, "now", 6.0)]
    table.say(Cue(text="first", t=0.0), Cue(text="second", t=0.0))
    assert table.all_said() == [len("first")]


def test_sentences_are_made_ahead_only_while_there_is_nothing_to_say() -> None:
    table = Table()
    table.player.receive(Prepare(("ahead 1", "ahead 2")))
    assert table.player.step()
    table.say(Cue(text="now", t=0.0))
    table.all_said()
    assert table.speech.asked == ["ahead 1", "now", "ahead 2"]


def test_a_sound_breaks_into_a_turn_which_is_said_again_unless_it_is_over() -> None:
    table = Table()
    urgent = SayCues((Cue(sound="illegal", rank=0, t=0.0),))
    table.say(Cue(text="It is Ann's turn.", rank=2, topic="next", t=0.0))

    def meanwhile() -> None:
        table.ears.meanwhile = ()
        table.player.preempt(urgent)

    table.ears.meanwhile = [meanwhile]
    assert table.player.step()
    assert table.ears.stops == 1
    table.player.receive(urgent)
    assert table.all_said() == [17, len(tones("illegal")), 17]

    table.say(Cue(text="It is Ben's turn.", rank=2, topic="next", t=0.0))
    table.ears.meanwhile = [meanwhile]
    assert table.player.step()
    table.player.receive(urgent)
    table.say(Cue(text="Cat", rank=2, topic="next", t=0.0))
    assert table.all_said()[4:] == [len(tones("illegal")), 3]


def test_a_turn_never_breaks_into_a_ruling() -> None:
    table = Table()
    table.ears.meanwhile = [lambda: table.player.preempt(SayCues((Cue(text="turn", rank=2, t=0.0),)))]
    table.say(Cue(text="ruling", sound="catch", rank=0, t=0.0))
    table.all_said()
    assert table.ears.stops == 0


def test_without_espeak_sounds_are_heard_and_the_trouble_is_reported_once() -> None:
    table = Table()
    table.speech.wrong = "espeak-ng is missing"
    table.player.receive(Prepare(("a", "b")))
    for _ in range(3):
        table.say(Cue(text="UNO!", sound="uno", t=0.0))
    assert table.all_said() == [len(tones("uno"))] * 3
    assert table.reports == [("speech", "espeak-ng is missing")]
    assert table.speech.asked[0] == "UNO!", "with no voice nothing is made ahead"

    table.speech.wrong = ""
    table.say(Cue(text="UNO!", t=0.0))
    table.all_said()
    assert table.reports[1:] == [("speech", "")]


def test_a_loudspeaker_that_is_gone_is_reported_once_and_so_is_its_return() -> None:
    table = Table()
    for wrong in ("gone", "gone", "", "gone"):
        table.ears.wrong = wrong
        table.say(Cue(text="UNO!", t=0.0))
        table.all_said()
    assert table.reports == [("sound", "gone"), ("sound", ""), ("sound", "gone")]
