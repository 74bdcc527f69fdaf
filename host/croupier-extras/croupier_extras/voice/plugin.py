"""The section `[voice]`, the checks of the doctor, and the observer of a table that speaks.

Synthesis and player are imported in their own process, and by checks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from shutil import which
from tempfile import TemporaryDirectory
from typing import Annotated, ClassVar, Final

from pydantic import AfterValidator

from croupier.config.options import InvalidValue, Section, Switch, option
from croupier.config.sections import Language
from croupier.devices.protocols import Ask
from croupier.doctor.check import UNPLUG, Check, CheckContext
from croupier.doctor.finding import Finding, absent, ok
from croupier.events import SequencedEvent
from croupier.i18n import _, marked
from croupier.observers import ObservedGame, ObservedTable, TableObserver
from croupier_extras.voice.cues import ESPEAK, PLUGIN, Loudness, Program, QuietHours, VoiceSettings
from croupier_extras.voice.notifier import VoiceNotifier, likely_sentences
from croupier_extras.voice.speaker import Speaker
from croupier_rules.referee import Explainer, Header
from croupier_rules.referee.position import Position
from croupier_rules.referee.rulings import Ruling


def hours(text: str) -> QuietHours | None:
    """Return begin and end, in minutes since midnight, of ``22:00-07:00``; None for "". Raises `InvalidValue`."""
    if not text:
        return None
    if not (match := re.fullmatch(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)", text)):
        raise InvalidValue(
            _("{value}: not a time span: expected a start and an end, such as 22:00-07:00", value=repr(text))
        )
    a, b, c, d = map(int, match.groups())
    return 60 * a + b, 60 * c + d


def _hours(text: str) -> str:
    hours(text)
    return text


class VoiceSection(Section):
    """Voice and sounds. `croupier voice try` plays them."""

    at_once: ClassVar = ("on", "volume", "language")
    switches: ClassVar = (
        Switch("on", marked("Should it speak aloud?"), lambda: which(ESPEAK) is not None, ("voice.engine",)),
    )

    on: bool = option(False, "Turn the voice on.")
    language: Language | None = option(None, "Language. Default: the table's, else the sheet's.", example="en")
    voice: str = option(
        "",
        "Voice of espeak-ng. Default: the usual one of the language.",
        expected=marked(
            "a voice listed by `espeak-ng --voices`, with + and a variant listed by `espeak-ng --voices=variant`"
        ),
        example="de+f3",
    )
    speed: int = option(160, "Words per minute.", ge=80, le=450)
    volume: int = option(80, "Volume. The page can change it.", ge=0, le=100)
    speech: bool = option(True, "Speak sentences.")
    sounds: bool = option(True, "Play sounds for UNO, a catch, a card that goes back, a challenge, a win.")
    turns: bool = option(True, "Announce turns.")
    quiet: Annotated[str, AfterValidator(_hours)] = option(
        "", "Silent hours, by this machine's clock.", expected=marked("a start and an end time"), example="22:00-07:00"
    )
    program: Program = option("auto", "Player. auto: the first one that is installed.")
    device: str = option(
        "", "Loudspeaker. Default: the system's.", expected=marked("a device listed by `aplay -L`"),
        example="plughw:CARD=Headphones",
    )  # fmt: skip

    def settings(self, language: str) -> VoiceSettings:
        """The settings of the voice, whether it is on or not. ``language``: of a table, if the section names none."""
        same = self.model_dump(include={"voice", "speed", "volume", "speech", "sounds", "program", "device"})
        return VoiceSettings(language=self.language or language, quiet=hours(self.quiet), **same)


class Voice(TableObserver):
    """The voice of a table, game after game. ``report``, ``on_change``, ``language``: as in `ObservedTable`."""

    def __init__(
        self, section: VoiceSection, report: Callable[[str], None], language: str | None = None,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        self._section, self._report, self._language, self._on_change = section, report, language, on_change
        self._header: Header | None = None
        self._settings: VoiceSettings | None = None
        self._speaker: Speaker | None = None
        self._notifier: VoiceNotifier | None = None

    @property
    def state(self) -> Loudness | None:
        """How loud it is; None while it is off."""
        speaker = self._speaker
        return None if speaker is None else Loudness(speaker.volume, speaker.is_muted)

    def begin(self, game: ObservedGame) -> None:
        """Speak of this game from now on."""
        self._header = game.header
        self._apply()
        self._listen()

    def use(self, section: VoiceSection, language: str | None) -> None:
        """Speak like this from now on. It stays muted."""
        self._section, self._language = section, language
        self._apply()

    def order(self, order: str, player: str) -> None:
        """Set the volume, or mute it: a `Loudness`."""
        loudness, speaker = Loudness.of_order(order), self._speaker
        if loudness is not None and speaker is not None:
            speaker.adjust(volume=loudness.volume, muted=loudness.muted)
            self._on_change()

    def __call__(self, event: SequencedEvent, rulings: Sequence[Ruling], position: Position) -> None:
        """Say the event and the rulings on it."""
        if (notifier := self._notifier) is not None:
            notifier(event, rulings, position)

    def ask(self, ask: Ask) -> None:
        """Say what the people are asked for."""
        if (notifier := self._notifier) is not None:
            notifier.ask(ask)

    def close(self, finish_s: float = 0.0) -> None:
        """End. Sentences that wait may be said for so long (s)."""
        if self._speaker is not None:
            self._speaker.close(finish_s)

    def _apply(self) -> None:
        """Apply the options of the section to the speaker; without a voice there, close the speaker."""
        header = self._header
        if header is None:
            return
        before = self._settings
        now = self._section.settings(self._language or header.ruleset.language) if self._section.on else None
        if before is not None and now is not None and self._speaker is not None:
            now = replace(now, muted=self._speaker.is_muted)
            if replace(before, volume=now.volume, muted=now.muted) == now:
                if before.volume != now.volume:
                    self._speaker.adjust(volume=now.volume)
                self._settings = now
                return
        if before is None and now is None:
            return
        speaker, self._speaker = self._speaker, None if now is None else Speaker(now, self._report)
        self._settings = now
        self._listen()
        if speaker is not None:
            speaker.close()

    def _listen(self) -> None:
        header, settings, speaker = self._header, self._settings, self._speaker
        self._notifier = None
        if header is None or settings is None or speaker is None:
            return
        if settings.speech:
            speaker.prepare(likely_sentences(Explainer(header, settings.language), len(header.seats)))
        self._notifier = VoiceNotifier(header, settings.language, speaker.say, turns=self._section.turns)


def open_observer(section: VoiceSection, table: ObservedTable) -> Voice:
    """Return the voice of a table, which the page can also turn on later."""
    return Voice(section, table.report, table.language, table.on_change)


_TRIED: Final = "Croupier"
"""The text that is synthesized and not played."""

_SILENT: Final = marked("This table does not speak.")


def _settings(table: CheckContext) -> VoiceSettings | None:
    section = table.config.plugin_sections.get(PLUGIN)
    if not isinstance(section, VoiceSection) or not section.on:
        return None
    return section.settings(table.config.table.language or table.config.ruleset().language)


def _engine(table: CheckContext) -> Finding:
    """Check that espeak-ng can speak."""
    if (settings := _settings(table)) is None:
        return absent(_SILENT)
    from croupier_extras.voice.synthesis import EspeakSynthesizer

    with TemporaryDirectory(prefix="croupier-") as cache:
        samples = EspeakSynthesizer(replace(settings, cache=cache)).synthesize(_TRIED)
    return ok(marked("espeak-ng speaks this language: {language}."), language=settings.language, samples=len(samples))


def _sound(table: CheckContext) -> Finding:
    """Check that a program can play sounds."""
    if (settings := _settings(table)) is None:
        return absent(_SILENT)
    from croupier_extras.voice.output import open_output

    open_output(settings)
    return ok(marked("A program that plays sounds is installed; croupier voice try lets you hear it."))


CHECKS: Final = (
    Check("voice.engine", _engine, needs="config.valid", seconds=15.0),
    Check("voice.sound", _sound, needs="config.valid", silent=UNPLUG),
)
