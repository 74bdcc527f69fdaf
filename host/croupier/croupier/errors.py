"""Errors that Croupier raises on purpose. Each says in one line what, where, what was expected, what to do.

Those of cards, rules and referee are defined in `croupier_rules.errors`, and are here, too.
"""

from __future__ import annotations

from croupier_rules.errors import BadDeck as BadDeck
from croupier_rules.errors import BadHeader as BadHeader
from croupier_rules.errors import BadLog as BadLog
from croupier_rules.errors import BadRuleSet as BadRuleSet
from croupier_rules.errors import CannotCorrect as CannotCorrect
from croupier_rules.errors import CroupierError as CroupierError
from croupier_rules.errors import did_you_mean as did_you_mean
from croupier_rules.errors import marked as marked
from croupier_rules.errors import nearest_names as nearest_names
from croupier_rules.errors import one_line as one_line
from croupier_rules.foreign_text import first_line as first_line

# Logs and rules.


class BadLine(BadLog):
    """A line of a table log is not a JSON object; the text names the line."""


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


class BadName(CroupierError, ValueError):
    """A name of a player, a team or a table that cannot be taken; the text says why, for the person who typed it."""


# Plug-ins.


class PluginUnavailable(CroupierError, ImportError):
    """A command or a section of `croupier.toml` belongs to a package that is not installed; the text says which."""


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
