"""Errors that Croupier raises on purpose. Each says in one line what, where, what was expected, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile
from typing import Any, Final

_MOST_NEAR: Final = 3
"""More names that are equally near help nobody."""


def one_line(text: str) -> str:
    """Replace characters that break the line or control a terminal; for names from outside (files, players)."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def marked(text: str) -> str:
    """Mark a text for translation and return it unchanged; for tables, and for parts that know no languages."""
    return text


def nearest_names(word: str, names: Iterable[str]) -> list[str]:
    """The names most similar to ``word``; empty where none is similar, or where too many are equally so."""
    from difflib import SequenceMatcher, get_close_matches  # slow to import; needed for mistypes only

    def similarity(name: str) -> tuple[float, int]:
        prefix = takewhile(lambda pair: pair[0] == pair[1], zip(name, word, strict=False))
        return SequenceMatcher(None, name, word).ratio(), len(list(prefix))

    close = get_close_matches(word, known := list(names), n=max(1, len(known)))
    nearest = [name for name in close if similarity(name) == max(map(similarity, close))]
    return nearest if len(nearest) <= _MOST_NEAR else []


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """``did you mean …? ``, the beginning of an error text; empty where no name is similar."""
    nearest = nearest_names(word, names)
    return f"did you mean {' / '.join(nearest)}? " if nearest else ""


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The hook of `json.loads` for table logs: with a key that stands twice, readers would take different values.

    Raises:
        BadLog: a key stands twice.
    """
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise BadLog(f"the key {twice[:60]!r} stands twice: expected each key once")
    return made


class CroupierError(Exception):
    """Base class of errors in input, hardware and environment; the text is shown to users.

    A part that knows no languages raises it with a `marked` template and the ``words`` to fill in;
    `croupier.i18n.localize` translates the template for the reader.
    """

    def __init__(self, *texts: str, **words: object) -> None:
        super().__init__(*(text.format_map(words) if words else text for text in texts))
        self.template, self.words = texts[0] if texts else "", words

    @property
    def lines(self) -> tuple[str, ...]:
        """The text by line; mostly a single one."""
        return (str(self),)


# Logs and rules.


class BadLog(CroupierError, ValueError):
    """The input is not a table log (contract: table log, version 1)."""


class BadHeader(BadLog):
    """The header of a table log says what its ruleset does not allow; ``field``: the field, or the option, that says
    it."""

    def __init__(self, field: str, text: str, **words: object) -> None:
        super().__init__(text, **words)
        self.field = field


class BadLine(BadLog):
    """A line of a table log is not a JSON object; the text names the line."""


class CannotCorrect(CroupierError, ValueError):
    """The record has no such observation any more, or it cannot be undone."""


class BadMessage(CroupierError, ValueError):
    """The page's process sent the table something else than a message."""

    def __init__(self) -> None:
        super().__init__(marked("the page’s process sent something that is not a message"))


class BadForm(CroupierError, ValueError):
    """The fields of a form on the page contradict each other; the text is for the person who filled it in."""


class BadScore(CroupierError, ValueError):
    """A round or a hand cannot stand on the score sheet; the text is for the person who adds it."""


class BadJournal(CroupierError, ValueError):
    """The file is not a journal, is damaged, or has no such game."""


class BadRuleSet(CroupierError, ValueError):
    """The ruleset does not exist, or its file is invalid."""


# Tournaments.


class BadPlan(CroupierError, ValueError):
    """A tournament cannot be planned like this, or a file of it is invalid; the text says what was expected."""


class BadResults(CroupierError, ValueError):
    """A file does not have the results of a tournament."""


class BadOutbox(CroupierError, ValueError):
    """The file with the key and the log of a table or of the director cannot be used."""


class BadHub(CroupierError, OSError):
    """A hub cannot be started: its packages, its address or its database."""


class BadCheckpoint(CroupierError, ValueError):
    """A text is not the signed head of a log."""


class HubUnavailable(CroupierError, ConnectionError):
    """No hub can be reached at an address; the same attempt may succeed later."""


class HubRefuses(CroupierError, ValueError):
    """A hub does not take what it gets, or has what must not be taken; somebody has to do something."""


# Files and the page.


class CannotWrite(CroupierError, OSError):
    """A file cannot be written."""


class DiskFull(CannotWrite):
    """There is no room on the disk; what was to be written may be tried again."""


class NoAnswer(CroupierError, TimeoutError):
    """The table did not do in time what the page asked for; whether it does so later is not known."""


class CannotServe(CroupierError, OSError):
    """The page cannot be served at this address."""


class BadConfig(CroupierError, ValueError):
    """`croupier.toml` is missing or invalid; one line for each mistake."""

    def __str__(self) -> str:
        return "\n".join(self.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        """The mistakes."""
        return self.args


class BadToml(CroupierError, ValueError):
    """A text is no TOML, or larger or deeper than any file of ours. ``line``: from 1; None if the error has none."""

    def __init__(self, text: str, line: int | None = None, **words: object) -> None:
        super().__init__(text, **words)
        self.line = line


# Cards in pictures.


class BadProfile(CroupierError, ValueError):
    """A deck profile cannot be used; the text names the file and what to do."""


class BadNames(CroupierError, ValueError):
    """A list of cards in pictures is invalid; the text names the line."""


class BadCalibration(CroupierError, ValueError):
    """A calibration of the table cannot be used, or the picture does not allow one."""


class ModelNotFound(CroupierError, FileNotFoundError):
    """The card reader was installed without its model."""


# Devices.


class CannotSimulate(CroupierError, RuntimeError):
    """The packages of the simulation are not installed."""


class CheckNotFound(CroupierError, ValueError):
    """`croupier doctor` has no check of that name."""


class OperatorUnavailable(CroupierError, EOFError):
    """A machine is about to move, and no person stands by."""


class PortNotFound(CroupierError, OSError):
    """The serial port does not exist or cannot be opened."""


class GpioUnavailable(CroupierError, OSError):
    """The GPIO pins cannot be used: not a Raspberry Pi, a package is missing, or a pin is in use."""


class ProtocolMismatch(CroupierError, ConnectionError):
    """The firmware of the Pico speaks another version of the protocol."""


class BadCommand(CroupierError, ValueError):
    """A line for the Pico is not a command."""


class CannotInstall(CroupierError, OSError):
    """The firmware cannot be written to the Pico; the firmware that was there before is unchanged."""


class VoiceUnavailable(CroupierError, OSError):
    """Speech cannot be made: espeak-ng is missing, or lacks a voice."""


class SoundUnavailable(CroupierError, OSError):
    """Sound cannot be played: no sound card, or no program that plays."""


class MqttUnavailable(CroupierError, RuntimeError):
    """Home automation is configured, but its packages are not installed."""


class BrokerUnavailable(CroupierError, ConnectionError):
    """The MQTT broker cannot be reached, or refuses the table."""


class WebhooksUnavailable(CroupierError, RuntimeError):
    """Webhooks are configured, but their packages are not installed."""
