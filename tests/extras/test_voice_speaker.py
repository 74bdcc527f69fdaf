"""The table's side of the voice: it never waits, whatever the process does that plays."""

from __future__ import annotations

import os
import select
import shutil
import sys
import wave
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from time import monotonic

import pytest

import croupier_extras.voice.speaker as subject
from croupier import supervisor
from croupier.child_process import ChildProcess
from croupier.retry import RetryPolicy
from croupier_extras.voice.cues import Cue, SayCues, VoiceSettings
from croupier_extras.voice.speaker import PLAYER, Speaker
from croupier_extras.voice.synthesis import RATE
from tests.patience import PATIENCE_S

Lines = SimpleQueue[str]

HANGS = ("sh", "-c", "exec sleep 60")
"""A player that never reads what it is told."""


@contextmanager
def speaker(lines: Lines, settings: VoiceSettings | None = None, *player: str) -> Iterator[Speaker]:
    made = Speaker(settings or VoiceSettings(), lines.put, player or subject.PLAYER)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def aplay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which a program called aplay leaves what it is given to play."""
    (tmp_path / "bin").mkdir()
    heard = tmp_path / "heard"
    heard.mkdir()
    program = tmp_path / "bin" / "aplay"
    program.write_text(f"#!/bin/sh\ncat > {heard}/$$\nmv {heard}/$$ {heard}/$$.raw\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return heard


def cue(text: str = "It is Ann's turn.", **more: object) -> Cue:
    return Cue(text=text, t=monotonic(), **more)  # type: ignore[arg-type]


def is_full(voice: Speaker) -> bool:
    """The pipe to the player takes no more: the thread that writes into it waits."""
    player = voice._process
    return player is not None and not select.select([], [player.channel], [], 0)[1]


def test_saying_something_waits_for_nothing_though_the_player_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The player reads nothing and is never ended, so a call that waited for it would never return."""
    monkeypatch.setattr(subject, "_HANGS_S", float("inf"))
    lines = Lines()
    with speaker(lines, None, *HANGS) as voice:
        while not is_full(voice):
            voice.say(cue("x" * 2**20))  # more than the pipe holds: of the first one a part stays unwritten
        for _ in range(subject._MOST_WAITING + 1):
            voice.say(cue("x" * 300), cue(sound="uno"))
        assert lines.empty()
        assert len(voice._waiting) == subject._MOST_WAITING


def test_a_player_that_hangs_is_ended_and_another_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subject, "_HANGS_S", -1.0)
    lines = Lines()
    with speaker(lines, None, *HANGS) as voice:
        while lines.empty():
            voice.say(cue())
        assert lines.get() == "The voice stopped (signal 9): it is being restarted, and the table goes on."


def test_a_player_that_ends_is_started_again_with_the_volume_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "RETRY", RetryPolicy(0.0, 0.0))
    code = (
        "import json, sys\nfrom croupier.child_process import run\n"
        "def play(channel, settings, likely):\n"
        "    failure = {'part': 'sound', 'failure': f'volume {settings.volume}'}\n"
        "    channel.send_bytes(json.dumps(failure).encode())\n"
        "    sys.exit('a fault')\n"
        "run(play)"
    )
    lines = Lines()
    with speaker(lines, VoiceSettings(volume=10), sys.executable, "-c", code) as voice:
        assert "volume 10" in lines.get(timeout=PATIENCE_S)
        assert "The voice stopped (exit status 1: a fault)" in lines.get(timeout=PATIENCE_S)
        voice.adjust(volume=20)
        assert "volume 20" in lines.get(timeout=PATIENCE_S), "that it ends again for the same reason is not told again"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="there is no espeak-ng here (tests/apt.txt)")
def test_what_is_said_is_spoken_and_played_and_the_rest_is_made_ahead(aplay: Path, tmp_path: Path) -> None:
    lines = Lines()
    ahead = ("It is Ann's turn.", "It is Ben's turn.")
    voice = Speaker(VoiceSettings(cache=str(tmp_path / "cache")), lines.put)
    voice.prepare(ahead)
    voice.say(cue(), cue("", sound="uno"))
    voice.close(finish_s=PATIENCE_S)
    assert lines.empty()
    played = sorted(file.stat().st_size for file in aplay.glob("*.raw"))
    assert len(played) == 2
    lengths = set()
    for made in (tmp_path / "cache" / "en").glob("*.wav"):
        with wave.open(str(made)) as opened:
            assert opened.getframerate() == RATE
            lengths.add(opened.getnframes() * 2)
    assert played[1] in lengths, "the sentence was played whole"


@pytest.mark.slow
def test_a_player_ends_with_the_table_even_if_that_died_in_the_middle_of_a_message() -> None:
    player = ChildProcess.start(PLAYER, VoiceSettings(program="none", speech=False), ())
    player.send(SayCues(()))
    assert [player.receive(), player.receive()] == [b"", b""]
    player.channel._link.send((1000).to_bytes(4, "big") + b"half")
    player.channel.finish()
    with pytest.raises(EOFError):
        player.receive()
    assert player.end(PATIENCE_S) == "exit status 0"
    player.close()


@pytest.mark.slow
def test_without_a_loudspeaker_the_table_goes_on_with_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    lines = Lines()
    with speaker(lines) as voice:
        voice.say(cue(sound="uno"))
        assert lines.get(timeout=PATIENCE_S) == (
            "No sound can be played: aplay is missing: install it with: sudo apt install alsa-utils"
        )


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("aplay") is None, reason="there is no aplay here (tests/apt.txt)")
def test_the_real_aplay_takes_what_it_is_given(tmp_path: Path) -> None:
    lines = Lines()
    voice = Speaker(VoiceSettings(program="aplay", device="null", speech=False, cache=str(tmp_path)), lines.put)
    voice.say(cue(sound="uno", max_age_s=PATIENCE_S))
    voice.close(finish_s=PATIENCE_S)
    assert lines.empty()

    with speaker(lines, VoiceSettings(program="aplay", device="nowhere", speech=False, cache=str(tmp_path))) as voice:
        voice.say(cue(sound="uno", max_age_s=PATIENCE_S))
        line = lines.get(timeout=PATIENCE_S)
    assert line.startswith("No sound can be played: aplay cannot play (")
    assert "name another as [voice] device" in line
