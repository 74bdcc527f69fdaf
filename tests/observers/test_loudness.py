"""What the page does to the voice of a running table."""

from __future__ import annotations

import pytest

from croupier.alarms import AlarmRegistry
from croupier.commands import Loudness
from croupier.observers.voice.cues import VoiceSettings
from croupier.observers.voice_notifier import Voice
from croupier.runtime.page import TablePage
from tests.observers.replayed import Asking


def test_the_page_sets_the_volume_of_the_voice_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    alarms = AlarmRegistry(lambda alarm: None)
    silent = TablePage(alarms)
    assert silent.state.loudness is None
    silent.set_loudness(Loudness(50, muted=True))  # from a page that is older than the table
    monkeypatch.setattr("croupier.observers.voice.speaker.PLAYER", ("true",))
    voice = Voice(Asking(), VoiceSettings(volume=80), print)
    page = TablePage(alarms, voice)
    assert page.state.loudness == Loudness(80, muted=False)
    page.set_loudness(Loudness(60, muted=True))
    assert page.state.loudness == Loudness(60, muted=True)
    voice.close()
