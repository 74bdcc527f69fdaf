"""Every error that Croupier raises on purpose. Each says in one line what, where, what was expected, what to do."""


def one_line(text: str) -> str:
    """Text with names from outside (of files, of players), without what would break the line or steer a terminal."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)


def marked(text: str) -> str:
    """The text as it is, marked for translation: for tables, and for parts that know no languages."""
    return text


class CroupierError(Exception):
    """Something outside the program is not as it must be; the text is meant for the person at the table.

    A part that knows no languages marks the text, names what differs in braces and gives it as ``words``;
    `croupier.i18n.told` then says it as people read it.
    """

    def __init__(self, *texts: str, **words: object) -> None:
        super().__init__(*(text.format_map(words) if words else text for text in texts))
        self.template, self.words = texts[0] if texts else "", words

    @property
    def lines(self) -> tuple[str, ...]:
        """The text, mostly a single line."""
        return (str(self),)


class BadLog(CroupierError, ValueError):
    """The input is not a table log (contract: table log, version 1)."""


class BadLine(BadLog):
    """A line of a table log is no JSON object; the text names the line."""


class CannotCorrect(CroupierError, ValueError):
    """What somebody wants to correct does not stand in the record, or cannot be undone."""


class NotMeant(CroupierError, ValueError):
    """What a form of the page says makes no sense; the text is for who filled it in."""


class BadJournal(CroupierError, ValueError):
    """The file is no journal, or one that is damaged, or it has no such game."""


class CannotWrite(CroupierError, OSError):
    """A file that was asked for cannot be made."""


class CannotServe(CroupierError, OSError):
    """The page cannot be served at the address that was asked for."""


class BadRuleSet(CroupierError, ValueError):
    """There is no such ruleset, or its file says what no ruleset can."""


class BadConfig(CroupierError, ValueError):
    """`croupier.toml`, which describes the table, is missing or says what no table can; each mistake has a line."""

    def __str__(self) -> str:
        return "\n".join(self.lines)

    @property
    def lines(self) -> tuple[str, ...]:
        """The mistakes."""
        return self.args


class BadProfile(CroupierError, ValueError):
    """A deck profile cannot be used; the text names the file and what to do."""


class BadNames(CroupierError, ValueError):
    """A list of the cards in pictures says what cannot be; the text names the line."""


class BadCalibration(CroupierError, ValueError):
    """A calibration of the table cannot be used, or none can be made of the picture."""


class NoModel(CroupierError, FileNotFoundError):
    """The card reader was installed without what it has learned."""


class CannotSimulate(CroupierError, RuntimeError):
    """What a simulation needs is not installed here."""


class NoSuchCheck(CroupierError, ValueError):
    """`croupier doctor` knows no check of that name."""


class NobodyThere(CroupierError, EOFError):
    """A machine is to move, and no person stands by."""


class NoPort(CroupierError, OSError):
    """There is no such serial port, or it cannot be opened."""


class NoGpio(CroupierError, OSError):
    """The pins of the Raspberry Pi cannot be used: this is none, or something is missing or in use."""


class ProtocolMismatch(CroupierError, ConnectionError):
    """The firmware of the Pico speaks another version of the protocol."""


class BadCommand(CroupierError, ValueError):
    """A line for the Pico that is none of its commands."""


class CannotInstall(CroupierError, OSError):
    """The firmware cannot be put onto the Pico; what was there before is still there."""


class NoVoice(CroupierError, OSError):
    """Sentences cannot be spoken: espeak-ng is missing, or lacks a voice."""


class NoSound(CroupierError, OSError):
    """Nothing can be heard: no sound card, or no program that plays."""


class NoMqtt(CroupierError, RuntimeError):
    """Home automation is wished, but what it needs is not installed."""
