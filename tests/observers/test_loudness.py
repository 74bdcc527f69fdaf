"""What the page does to the voice of a running table."""

from __future__ import annotations

from croupier.alarms import AlarmRegistry
from croupier.commands import Loudness
from croupier.observers.voice.cues import VoiceSettings
from croupier.observers.voice.speaker import Speaker
from croupier.runtime.page import TablePage


def test_the_page_sets_the_volume_of_the_voice_where_there_is_one() -> None:
    alarms = AlarmRegistry(lambda alarm: None)
    silent = TablePage(alarms)
    assert silent.state.loudness is None
    silent.set_loudness(Loudness(50, muted=True))  # from a page that is older than the table
    speaker = Speaker(VoiceSettings(volume=80), player=["true"])
    page = TablePage(alarms, speaker)
    assert page.state.loudness == Loudness(80, muted=False)
    page.set_loudness(Loudness(60, muted=True))
    assert page.state.loudness == Loudness(60, muted=True)
    speaker.close()
