"""What the page does to the voice of a running table."""

from __future__ import annotations

from croupier.commands import Loudness, PressKey
from croupier.observers.voice.cues import VoiceSettings
from croupier.observers.voice.speaker import Speaker
from croupier.runtime.command_queue import Spoken
from croupier.runtime.page_table import PageTable


def test_the_page_mutes_the_voice_and_the_table_hears_nothing_of_it() -> None:
    spoken = Spoken(lambda: 0.0)
    desk = PageTable(1, spoken, lambda: None)
    assert desk.loudness is None
    desk.submit(Loudness(50, muted=True))  # of a page that is older than the table
    desk.speaker = speaker = Speaker(VoiceSettings(volume=80), player=["true"])
    assert desk.loudness == Loudness(80, muted=False)
    desk.submit(Loudness(60, muted=True))
    assert desk.loudness == Loudness(60, muted=True)
    desk.submit(PressKey(0, "uno"))
    assert len(spoken.poll()) == 1, "the key alone"
    speaker.close()
