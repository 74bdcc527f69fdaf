"""What host and Pico may say to each other: every message stands once in `MESSAGES`, and nothing else crosses the wire.

The firmware, the host's dataclasses, the protocol page and the checksum of the greeting all come from this table. A
message is its name and its fields, apart by single blanks: ``deal 41 3 7``. A field is a whole number, one of a few
words, or a name.

`SCHEMA` is the checksum of all that decides what a line means; the greeting carries it with `VERSION`, so that two
sides that would misunderstand each other never begin to talk. Whoever changes the table raises `VERSION`.
"""

from binascii import crc32
from collections import namedtuple

from tablewire.pins import SEATS

VERSION = 1

TICKS = 1 << 30
"""The Pico's clock counts microseconds and begins anew after so many of them: every 17.9 minutes."""

TURN_STEPS = 4800
"""A revolution of the turntable, as a `detail` counts it: 200 steps of the motor, 8 microsteps each, geared 1:3."""

LONGEST_NAME = 32

SILENCE_MS = 500
"""So long after the last line of the host the Pico's outputs go safe."""

TO_PICO = "host to Pico"
TO_HOST = "Pico to host"
BOTH = "both ways"

Field = namedtuple("Field", ("name", "kind", "allowed", "unit", "meaning"))
Message = namedtuple("Message", ("name", "way", "once", "fields", "meaning"))


def number(name: str, low: int, high: int, meaning: str, unit: str = "") -> Field:
    """A field that is a whole number, ``low`` to ``high``."""
    return Field(name, "number", (low, high), unit, meaning)


def choice(name: str, words: tuple[str, ...], meaning: str) -> Field:
    """A field that is one of ``words``."""
    return Field(name, "choice", words, "", meaning)


def label(name: str, meaning: str) -> Field:
    """A field that is a name: without blanks and stars, and not longer than `LONGEST_NAME`."""
    return Field(name, "name", (), "", meaning)


def ticks(meaning: str) -> Field:
    """A field that is a moment on the Pico's clock."""
    return number("ticks", 0, TICKS - 1, meaning, "µs")


DIRECTIONS = ("left", "right")
COLORS = ("none", "red", "yellow", "green", "blue")
MODES = ("play", "challenge", "penalty", "fault", "off")
PARTS = ("shoe", "turntable", "buttons", "ring", "lamps", "buzzer")
WORLDS = ("hardware", "SIMULATION")
CAUSES = ("power", "watchdog", "soft", "unknown")
STEPS = ("idle", "homing", "turning", "feeding", "fault")

WHYS = ("complete", "double-feed", "jam", "empty", "stopped", "silence", "longest-run", "turntable", "in-doubt")
"""How a job ended. ``in-doubt``: the Pico was reset while the motor ran, so a card more may have passed than it saw."""

FAULTS = (
    "double-feed", "jam", "surplus", "no-magnet", "lost-steps", "longest-run", "silence", "stuck-button",
    "exit-blocked", "in-doubt", "overflow",
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
    ), "The host is there and begins the session that stands at the head of this line, or goes on with it."),
    Message("ping", TO_PICO, False, (
        number("n", 0, TICKS - 1, "comes back in `pong`"),
    ), "Asks for the Pico's clock. Any line keeps the outputs alive; after 500 ms without one they go safe."),
    Message("config", TO_PICO, True, (
        number("seats", 2, SEATS, "how many seats play; their buttons are 0 to seats - 1"),
        number("lights", 1, 60, "how many lights the ring has"),
        number("speed", 100, 3000, "of a card at the exit", "mm/s"),
        number("turn_speed", 1, 200, "of the turntable at most", "1/min"),
        number("turn_acceleration", 1, 200, "of the turntable", "rad/s²"),
    ), "How the table is built. Comes before the first `go` of a session."),
    Message("place", TO_PICO, True, (
        _seat("which"),
        number("angle", -1800, 1800, "from the magnet, clockwise seen from above", "0.1°"),
    ), "Where the shoe deals to a seat."),
    Message("go", TO_PICO, True, (), "The motors may run. After every start they may not until this comes."),
    Message("deal", TO_PICO, True, (
        _job("number of the job; one that was done is only reported again"),
        _seat("which hand gets the cards"),
        number("n", 1, 255, "how many"),
    ), "Feed cards to a seat."),
    Message("stop", TO_PICO, True, (), "All motors stand still, and may not run until `go`."),
    Message("clear", TO_PICO, True, (), "A person took the trouble out of the way."),
    Message("home", TO_PICO, True, (), "Turn the turntable to the magnet."),
    Message("ring", TO_PICO, True, (
        number("turn", -1, SEATS - 1, "whose turn it is; -1: nobody's"),
        choice("direction", DIRECTIONS, "of play"),
        choice("color", COLORS, "the active color"),
        choice("mode", MODES, "what the ring tells"),
    ), "What the ring shows from now on."),
    Message("lamps", TO_PICO, True, (
        number("mask", 0, (1 << SEATS) - 1, "bit n: the lamp of seat n is lit"),
    ), "Which lamps of the buttons are lit."),
    Message("buzz", TO_PICO, True, (
        number("pitch", 100, 8000, "of the tone", "Hz"),
        number("duration", 1, 2000, "of the tone", "ms"),
    ), "Give a sound."),
    Message("test", TO_PICO, True, (
        choice("part", PARTS, "what to try"),
    ), "Try a part by itself; the answer is `tested`."),
    Message("leave", TO_PICO, True, (
        choice("to", ("reset", "repl", "bootsel"), "a fresh start, MicroPython's prompt, or the boot ROM"),
    ), "Leave the firmware; the outputs are safe before."),
    Message("ack", BOTH, False, (), "Nothing but the acknowledgement at the head of the line."),
    Message("hello", TO_HOST, False, (
        number("version", 0, 9999, "of the protocol"),
        number("schema", 0, 0xFFFFFFFF, "checksum of the table of messages"),
        label("board", "what the firmware runs on"),
        choice("world", WORLDS, "a real machine, or a simulation"),
        choice("cause", CAUSES, "why it started"),
        number("boot", 1, TICKS - 1, "by chance, another at every start"),
    ), "Answers the host's `hello`, and told each second as long as none comes."),
    Message("pong", TO_HOST, False, (
        number("n", 0, TICKS - 1, "of the `ping`"),
        ticks("when the ping had been read"),
        number("answered", 0, TICKS - 1, "when this answer was written", "µs"),
    ), "The Pico's clock."),
    Message("state", TO_HOST, True, (
        choice("step", STEPS, "what the shoe does"),
        number("armed", 0, 1, "1: the motors may run"),
        choice("hopper", ("empty", "filled"), "whether there are cards"),
        number("job", 0, TICKS - 1, "the last job; 0: none is known, since the power was gone"),
        number("asked", 0, 255, "its cards"),
        number("fed", 0, 255, "how many of them passed"),
        number("lost", 0, TICKS - 1, "reports that found the queue full since the start"),
        ticks("when it was so"),
    ), "How things stand. The first report of every session, and told after `go`, `stop` and `clear`."),
    Message("press", TO_HOST, True, (
        ticks("when the first of them changed"),
        number("mask", 1, (1 << SEATS) - 1, "bit n: the button of seat n went down in this very instant"),
    ), "Buttons were pressed: all that one reading of the pins showed."),
    Message("card", TO_HOST, True, (
        _job("of which job; the last one where none was running"),
        number("index", 1, 255, "1 is the first card of the job"),
        ticks("when its edge reached the exit"),
        number("pulse", 0, TICKS - 1, "how long it covered the exit", "µs"),
        number("gap", 0, TICKS - 1, "how long the exit was free before; 0: first card of the job", "µs"),
    ), "A card has passed the exit."),
    Message("done", TO_HOST, True, (
        _job("which"),
        number("asked", 1, 255, "cards that were asked for"),
        number("fed", 0, 255, "cards that really passed"),
        choice("why", WHYS, "how it ended"),
        ticks("when it ended"),
    ), "A job is over. Told again, without feeding, when the job is asked for again."),
    Message("refused", TO_HOST, True, (
        _job("which"),
        choice("why", REFUSALS, "`go` is missing; `clear` is missing; another job runs; the seat has no place"),
        ticks("when"),
    ), "A job was not begun, and is not remembered."),
    Message("fault", TO_HOST, True, (
        choice("kind", FAULTS, "what is wrong"),
        number("detail", 0, TICKS - 1, "the buttons' mask, the steps lost, the job: as the kind has it; or 0"),
        ticks("when it was noticed"),
    ), "Something is wrong; the motors stand still until `clear`."),
    Message("cleared", TO_HOST, True, (
        ticks("when"),
    ), "The trouble is out of the way, as far as the sensors see."),
    Message("hopper", TO_HOST, True, (
        choice("level", ("empty", "filled"), "whether there are cards"),
        ticks("since when"),
    ), "The hopper was filled, or is empty."),
    Message("tested", TO_HOST, True, (
        choice("part", PARTS, "which"),
        number("ok", 0, 1, "1: as it should be"),
        number("detail", 0, TICKS - 1, "what was measured, as the part has it"),
        ticks("when"),
    ), "How a part stood its test."),
)  # fmt: skip


def canonical() -> str:
    """What decides the meaning of a line, as text; `SCHEMA` is its checksum."""
    lines = []
    for message in MESSAGES:
        fields = [f"{one.name}={one.kind}:{','.join(str(value) for value in one.allowed)}" for one in message.fields]
        lines.append(f"{message.way} {message.name} {message.once} {' '.join(fields)}")
    return "\n".join(lines)


SCHEMA = crc32(canonical().encode())

_OURS = [str(VERSION), str(SCHEMA)]

HEARD_BY_PICO = {message.name: message for message in MESSAGES if message.way != TO_HOST}
HEARD_BY_HOST = {message.name: message for message in MESSAGES if message.way != TO_PICO}


def write(message: Message, values: tuple[int | str, ...]) -> str:
    """The text of a message: ``deal 41 3 7``.

    Raises ValueError where a value is not allowed: the side that says it has a mistake in it.
    """
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
    """The values of a message out of their words, or None where they are not allowed.

    Of a greeting in another version only the first two values are told: those never change their meaning.
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
    """The value of a field as it stands on the line, or None where it is not allowed."""
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
