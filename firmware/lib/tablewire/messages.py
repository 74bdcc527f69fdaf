"""The messages between host and Pico. `MESSAGES` defines each of them once; nothing else crosses the wire.

The firmware, the host's dataclasses, the form of each frame, the protocol page and the checksum of the greeting are
made from this table. A field is a whole number, one of a few words, or a name. For people, and in the messages of
`ALWAYS`, a message is its name and its fields, separated by single blanks: ``deal 41 3 7``. On the line all others are
packed: a byte for the message, and each field in the fewest bytes that its range needs (`Form`).

`SCHEMA` is the checksum of everything that decides the meaning of a frame. The greeting carries it with
`VERSION`, so that two sides with different tables never begin to talk. Raise `VERSION` with every change of the
table.
"""

from binascii import crc32
from collections import namedtuple
from struct import calcsize

from tablewire.pins import SEATS

VERSION = 6

TICKS = 1 << 30
"""The Pico's clock counts microseconds and wraps at this number: every 17.9 minutes."""

PINGS = 1 << 16
"""Pings are numbered up to this number, and then from 1 again: for a good hour."""

TURN_STEPS = 4800
"""Steps of a revolution of the turntable, as in `detail`: 200 motor steps, 8 microsteps each, geared 1:3."""

LONGEST_NAME = 32

PRESS_MS = 1
"""A button counts as pressed when it is still down after this time (ms): what is shorter is a disturbance."""

MOST_BOUNCES = 7
"""The bounces of a contact are counted up to this number; the test `contacts` reports three bits for each seat."""

SILENCE_MS = 500
"""Silence of the host (ms) after which the Pico switches its outputs off."""

ALWAYS = ("hello", "leave")
"""Messages that the Pico takes in any session and without one, from a host of any version: they cross the line as text,
whose form never changes, and all others packed."""

TO_PICO = "host to Pico"
TO_HOST = "Pico to host"
BOTH = "both ways"

Field = namedtuple("Field", ("name", "kind", "allowed", "unit", "meaning"))
Message = namedtuple("Message", ("name", "way", "once", "fields", "meaning"))


def number(name: str, low: int, high: int, meaning: str, unit: str = "") -> Field:
    """Make a field for a whole number, ``low`` to ``high``."""
    return Field(name, "number", (low, high), unit, meaning)


def choice(name: str, words: tuple[str, ...], meaning: str) -> Field:
    """Make a field for one of ``words``."""
    return Field(name, "choice", words, "", meaning)


def label(name: str, meaning: str) -> Field:
    """Make a field for a name: no blanks or stars, at most `LONGEST_NAME` characters."""
    return Field(name, "name", (), "", meaning)


def ticks(meaning: str) -> Field:
    """Make a field for a moment on the Pico's clock."""
    return number("ticks", 0, TICKS - 1, meaning, "µs")


DIRECTIONS = ("left", "right")
COLORS = ("none", "red", "yellow", "green", "blue")
MODES = ("play", "challenge", "penalty", "choose", "fault", "off")
PARTS = ("shoe", "turntable", "buttons", "ring", "lamps", "buzzer", "marks", "contacts")
WORLDS = ("hardware", "SIMULATION")
CAUSES = ("power", "watchdog", "soft", "unknown")
STEPS = ("idle", "homing", "turning", "feeding", "fault")

WHYS = ("complete", "double-feed", "jam", "empty", "stopped", "silence", "longest-run", "turntable", "in-doubt",
    "no-power",
)  # fmt: skip
"""Reasons for the end of a job. ``in-doubt``: the Pico was reset while the motor ran, so one card more than counted
may have passed; or a stopping motor let a card pass so slowly that it may have been two."""

FAULTS = (
    "double-feed", "jam", "surplus", "no-magnet", "lost-steps", "longest-run", "silence", "stuck-button",
    "exit-blocked", "in-doubt", "overflow", "no-power", "pushed",
)  # fmt: skip

REFUSALS = ("disarmed", "fault", "busy", "no-seat")


def _job(meaning: str) -> Field:
    return number("job", 1, TICKS - 1, meaning)


def _seat(meaning: str) -> Field:
    return number("seat", 0, SEATS - 1, meaning)


# ``once``: numbered, acknowledged, sent again until it arrived, and carried out once. The others are not numbered: what
# is lost of them is followed by another of its kind.
MESSAGES = (
    Message("hello", TO_PICO, False, (
        number("version", 0, 9999, "of the protocol"),
        number("schema", 0, 0xFFFFFFFF, "checksum of the table of messages"),
    ), "Greeting of the host: opens the session at the head of this line, or continues it."),
    Message("ping", TO_PICO, False, (
        number("n", 0, PINGS - 1, "comes back in `pong`"),
    ), "Asks for the Pico's clock. After 500 ms without any line the outputs go safe."),
    Message("config", TO_PICO, True, (
        number("seats", 2, SEATS, "seats that play"),
        number("lights", 1, 60, "lights of the ring"),
        number("speed", 100, 3000, "of a card at the exit", "mm/s"),
        number("turn_speed", 1, 200, "of the turntable at most", "1/min"),
        number("turn_acceleration", 1, 200, "of the turntable", "rad/s²"),
    ), "Layout of the table. Needed before the first `go` of a session."),
    Message("place", TO_PICO, True, (
        _seat("which"),
        number("angle", -1800, 1800, "from the magnet, clockwise seen from above", "0.1°"),
    ), "Direction of a seat."),
    Message("go", TO_PICO, True, (), "Enables the motors, which are disabled after every start."),
    Message("deal", TO_PICO, True, (
        _job("number of the job; a finished one is only reported again"),
        _seat("seat that gets the cards"),
        number("n", 1, 255, "number of cards"),
    ), "Feed cards to a seat."),
    Message("stop", TO_PICO, True, (), "Stops and disables the motors until `go`."),
    Message("clear", TO_PICO, True, (), "A person cleared the fault."),
    Message("home", TO_PICO, True, (), "Turn the turntable to the magnet."),
    Message("ring", TO_PICO, True, (
        number("turn", -1, SEATS - 1, "seat on turn, with `penalty` the seat that draws; -1: none"),
        choice("direction", DIRECTIONS, "of play"),
        choice("color", COLORS, "the active color"),
        choice("mode", MODES, "pattern"),
        number("n", 0, (1 << SEATS) - 1, "with `penalty`: cards to draw; with `choose`: bit n: seat n may be chosen"),
    ), "Sets what the ring shows."),
    Message("lamps", TO_PICO, True, (
        number("mask", 0, (1 << SEATS) - 1, "bit n: the lamp of seat n is lit"),
    ), "Sets the lamps of the buttons."),
    Message("buzz", TO_PICO, True, (
        number("pitch", 100, 8000, "of the tone", "Hz"),
        number("duration", 1, 2000, "of the tone", "ms"),
    ), "Plays a tone."),
    Message("test", TO_PICO, True, (
        choice("part", PARTS, "part to test"),
    ), "Tests one part; the answer is `tested`."),
    Message("leave", TO_PICO, False, (
        choice("to", ("reset", "repl", "bootsel"), "restart, MicroPython's prompt, or boot ROM"),
    ), "Leaves the firmware with safe outputs; taken from a host of any version, so that it can install its firmware."),
    Message("ack", BOTH, False, (), "Only the acknowledgement at the head of the line."),
    Message("hello", TO_HOST, False, (
        number("version", 0, 9999, "of the protocol"),
        number("schema", 0, 0xFFFFFFFF, "checksum of the table of messages"),
        label("board", "what the firmware runs on"),
        choice("world", WORLDS, "a real machine, or a simulation"),
        choice("cause", CAUSES, "cause of the start"),
        number("boot", 1, TICKS - 1, "random, another at every start"),
    ), "Greeting of the Pico: answers the host's, or is sent each second without one."),
    Message("pong", TO_HOST, False, (
        number("n", 0, PINGS - 1, "of the `ping`"),
        ticks("when its first byte was read"),
        number("before", 0, PINGS - 1, "`n` of the answer before this one; 0: none"),
        number("written", 0, TICKS - 1, "when the end of that answer was written", "µs"),
    ), "The Pico's clock."),
    Message("state", TO_HOST, True, (
        choice("step", STEPS, "what the shoe does"),
        number("armed", 0, 1, "1: the motors may run"),
        choice("hopper", ("empty", "filled"), "state of the hopper"),
        number("job", 0, TICKS - 1, "the last job; 0: none since power-on"),
        number("asked", 0, 255, "cards of this job"),
        number("fed", 0, 255, "cards of it that passed the exit"),
        number("lost", 0, TICKS - 1, "reports lost to a full queue since the start"),
        ticks("time of the state"),
    ), "State of the shoe: first report of a session, and after `go`, `stop`, `clear`."),
    Message("press", TO_HOST, True, (
        ticks("when the first of them changed"),
        number("mask", 1, (1 << SEATS) - 1, "bit n: the button of seat n went down"),
    ), "Buttons were pressed, all in one reading of the pins."),
    Message("card", TO_HOST, True, (
        _job("job of the card; the last one if none was running"),
        number("index", 1, 255, "1 is the first card of the job"),
        ticks("when its edge reached the exit"),
        number("pulse", 0, TICKS - 1, "how long it covered the exit", "µs"),
        number("gap", 0, TICKS - 1, "how long the exit was free before; 0: first card of a job", "µs"),
    ), "A card passed the exit."),
    Message("done", TO_HOST, True, (
        _job("which"),
        number("asked", 1, 255, "cards of the job"),
        number("fed", 0, 255, "cards that passed the exit"),
        choice("why", WHYS, "why it ended"),
        ticks("when it ended"),
    ), "A job is over. Repeated, without feeding, if the job is sent again."),
    Message("refused", TO_HOST, True, (
        _job("which"),
        choice("why", REFUSALS, "`go` is missing; `clear` is missing; another job runs; the seat has no place"),
        ticks("when"),
    ), "A job was not started and is not stored."),
    Message("fault", TO_HOST, True, (
        choice("kind", FAULTS, "kind of fault"),
        number("detail", 0, TICKS - 1, "by kind: mask of buttons, lost steps or reports, job; or 0"),
        ticks("when it was noticed"),
    ), "A fault; the motors stop until `clear`."),
    Message("cleared", TO_HOST, True, (
        ticks("when"),
    ), "The sensors see no fault any more."),
    Message("hopper", TO_HOST, True, (
        choice("level", ("empty", "filled"), "state of the hopper"),
        ticks("since when"),
    ), "The hopper was filled, or is empty."),
    Message("tested", TO_HOST, True, (
        choice("part", PARTS, "which"),
        number("ok", 0, 1, "1: as it should be"),
        number("detail", 0, TICKS - 1, "measured value, by part"),
        ticks("when"),
    ), "Result of a test."),
)  # fmt: skip


def canonical() -> str:
    """Return everything that decides the meaning of a line, as text; `SCHEMA` is its checksum."""
    lines = []
    for message in MESSAGES:
        fields = [f"{one.name}={one.kind}:{','.join(str(value) for value in one.allowed)}" for one in message.fields]
        lines.append(f"{message.way} {message.name} {message.once} {' '.join(fields)}")
    return "\n".join(lines)


SCHEMA = crc32(canonical().encode())

_OURS = [str(VERSION), str(SCHEMA)]

HEARD_BY_PICO = {message.name: message for message in MESSAGES if message.way != TO_HOST}
HEARD_BY_HOST = {message.name: message for message in MESSAGES if message.way != TO_PICO}

LONGEST_FORM = 48
"""No packed frame is longer (bytes)."""

_TYPES = (("B", 0, 0xFF), ("b", -0x80, 0x7F), ("H", 0, 0xFFFF), ("h", -0x8000, 0x7FFF), ("I", 0, 0xFFFFFFFF))


def _type_of(low: int, high: int) -> tuple[str, int, int]:
    return next(one for one in _TYPES if one[1] <= low and high <= one[2])


class Form:
    """How a message is packed: session, ``code``, acknowledgement, number if it is numbered, and its fields, from the
    low byte on, without gaps. The checksum follows.

    ``layout``: for `struct`; ``size``: its length; ``length``: that of the line, without its end; ``head``: how many
    values stand before the fields. ``choices``: place and words of each field that is one of a few words; ``limits``:
    place, least and greatest value of each field whose bytes could say something else. Places count all values.
    """

    def __init__(self, code: int, message: Message) -> None:
        self.code, self.message = code, message
        self.layout = "<HBHH" if message.once else "<HBH"
        self.head = len(self.layout) - 1
        choices, limits = [], []
        for at, field in enumerate(message.fields):
            low, high = (0, len(field.allowed) - 1) if field.kind == "choice" else field.allowed
            letter, least, most = _type_of(low, high)
            self.layout += letter
            if (low, high) != (least, most):
                limits.append((self.head + at, low, high))
            if field.kind == "choice":
                choices.append((self.head + at, field.allowed))
        self.size = calcsize(self.layout)
        self.length = (self.size + 4 + 2) // 3 * 4
        self.choices, self.limits = tuple(choices), tuple(limits)


FORMS = tuple(None if one.name in ALWAYS else Form(code, one) for code, one in enumerate(MESSAGES))
"""By code: the form of each message; None for those that are text."""

FORM_OF = {form.message.name: form for form in FORMS if form}


def write(message: Message, values: tuple[int | str, ...]) -> str:
    """Return the text of a message: ``deal 41 3 7``. Raises ValueError for a value that is not allowed, which is a
    bug of the sender: the host writes so what it is about to send."""
    fields = message.fields
    if len(values) != len(fields):
        raise ValueError(f"{message.name}: {len(fields)} fields")
    words = [message.name]
    for field, value in zip(fields, values):  # noqa: B905  # MicroPython's zip knows no strict
        word = str(value)
        if read_field(field, word) != value:
            raise ValueError(f"{message.name}: no such {field.name}: {word}")
        words.append(word)
    return " ".join(words)


def read(message: Message, words: list[str]) -> tuple[int | str, ...] | None:
    """Return the values of a message from its words; None if they are not allowed.

    For a greeting of another version only the first two values are returned: their meaning never changes.
    """
    fields = message.fields
    if message.name == "hello" and words[:2] != _OURS:
        fields, words = fields[:2], words[:2]
    if len(words) != len(fields):
        return None
    values = []
    for field, word in zip(fields, words):  # noqa: B905
        value = read_field(field, word)
        if value is None:
            return None
        values.append(value)
    return tuple(values)


def read_field(field: Field, word: str) -> int | str | None:
    """Return the value of a field from its word; None if it is not allowed."""
    _, kind, allowed, _, _ = field  # quicker than by name, and this is done for every word
    if kind == "number":
        try:
            value = int(word)
        except ValueError:
            return None
        return value if allowed[0] <= value <= allowed[1] else None
    if kind == "choice":
        return word if word in allowed else None
    is_name = 0 < len(word) <= LONGEST_NAME and not any(one in word for one in " *\n")
    return word if is_name else None
