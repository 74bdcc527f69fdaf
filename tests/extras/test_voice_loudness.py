"""What the page does to the voice of a running table."""

from __future__ import annotations

import pytest

from croupier.observers import ObservedGame
from croupier_extras.voice.cues import Loudness
from croupier_extras.voice.plugin import Voice, VoiceSection
from croupier_rules.referee import Header
from croupier_rules.referee.position import Position
from croupier_rules.rules import load

GAME = ObservedGame(
    Header(ruleset=load("g7942-en"), seats=("Ann", "Ben"), dealer=0), 1, (), Position(phase="deal", owed={})
)


@pytest.mark.parametrize("loudness", [Loudness(0, muted=False), Loudness(7, muted=True), Loudness(100, muted=False)])
def test_an_order_is_the_loudness_that_it_sets(loudness: Loudness) -> None:
    assert Loudness.of_order(loudness.to_order()) == loudness


@pytest.mark.parametrize("order", ["", "101", "-1", "007", "60 loud", "60 muted ", "muted", "6\u0660", "9" * 99])
def test_an_order_that_makes_no_sense_sets_nothing(order: str) -> None:
    assert Loudness.of_order(order) is None


def test_the_page_sets_the_volume_and_everybody_sees_it(monkeypatch: pytest.MonkeyPatch) -> None:
    changes: list[Loudness | None] = []
    monkeypatch.setattr("croupier_extras.voice.speaker.PLAYER", ("true",))
    voice = Voice(VoiceSection(on=True, volume=80), print, on_change=lambda: changes.append(voice.state))
    voice.begin(GAME)
    assert voice.state == Loudness(80, muted=False)
    voice.order("60 muted", "Ann")
    voice.order("900", "Ann")
    assert changes == [Loudness(60, muted=True)]
    voice.use(VoiceSection(on=True, volume=30), None)
    assert voice.state == Loudness(30, muted=True), "it stays muted"
    voice.use(VoiceSection(on=True, volume=30), "de")  # another speaker
    assert voice.state == Loudness(30, muted=True)
    voice.close()


def test_a_voice_that_is_off_has_no_volume_until_it_is_turned_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("croupier_extras.voice.speaker.PLAYER", ("true",))
    voice = Voice(VoiceSection(), print)
    voice.begin(GAME)
    voice.order("50", "")  # from a page that is older than the table
    assert voice.state is None
    voice.use(VoiceSection(on=True), None)
    assert voice.state == Loudness(80, muted=False)
    voice.use(VoiceSection(), None)
    assert voice.state is None
    voice.close()
