"""The voice of the table: sentences by espeak-ng and short sounds, said by a process of its own.

speaker = Speaker(Settings(language="de"), tell=print)
speaker.say(Cue(text="Anna ist an der Reihe.", t=monotonic()), Cue(sound="uno", t=monotonic()))

`say` only puts into a queue. What is late or overtaken is never said, so the voice always tells how the table is now.
"""

from croupier.observers.voice.cues import Cue, Sound
from croupier.observers.voice.settings import Settings
from croupier.observers.voice.speaker import Speaker

__all__ = ["Cue", "Settings", "Sound", "Speaker"]
