"""Frames: how a message crosses the wire, and how it is distinguished from noise.

A frame is packed by the form of its message (`tablewire.messages.Form`): the session, a byte for the message, the last
number that arrived in order from the other side, the number of the frame in its session if it is numbered, the fields,
and the CRC-32 of all this. It stands on the line in Base64, with a line feed as its end. So no byte of a frame is ever
taken for its end, noise costs at most the line in which it occurs, and `binascii` does the work in C. Both numbers are
the lower 16 bits of what they count.

The messages of `ALWAYS` are text, which any version of host and firmware understands::

    3f0a 0 9 leave repl *5a3f09c1

A session (four hex digits; 0000 before there is one), 0 for "not numbered", the acknowledgement, the message, and the
CRC-32 of all before the blank and the star.

Why CRC-32: a line that lost, doubled or swapped bytes is random to a checksum. Of ten million such lines CRC-16 lets
about 150 pass (one in 65,536), CRC-32 one in 430 times ten million (one in 4.3 thousand million); and what passes must
still be a message with all its values allowed, in this session, with the very number that is due. It costs nothing
more: `binascii` has it in C.
"""

from binascii import a2b_base64, b2a_base64, crc32
from collections import namedtuple
from struct import pack_into, unpack_from

from tablewire.messages import ALWAYS, FORMS, LONGEST_FORM, Form, Message, read

LONGEST = 120
"""Maximum length of a line with its end (bytes). Longer input is noise."""

NUMBERS = 0xFFFF
"""Of numbers and acknowledgements these bits are on the line."""

Frame = namedtuple("Frame", ("session", "number", "ack", "message", "values"))


def encode_text(session: int, number: int, ack: int, text: str) -> bytes:
    """Return the bytes of a line of text."""
    body = f"{session:04x} {number} {ack} {text}"
    return f"{body} *{crc32(body.encode()):08x}\n".encode()


def decode_text(line: bytes, incoming: dict[str, Message]) -> Frame | None:
    """Return the frame in a line of text (bytes, without its end); None for a damaged line, a message not in
    ``incoming``, or one that must be packed."""
    body, star, check = line.rpartition(b" *")
    if not star or check != b"%08x" % crc32(body):
        return None
    # The checksum is right, so `encode_text` wrote this; or it is so by chance, and then nothing here may raise.
    try:
        words = body.decode().split(" ")
        session, number, ack = int(words[0], 16), int(words[1]), int(words[2])
        message = incoming[words[3]]
    except (ValueError, IndexError, KeyError):  # UnicodeError is a ValueError
        return None
    values = read(message, words[4:]) if message.name in ALWAYS and not number else None
    return None if values is None else Frame(session, number, ack, message, values)


class Encoder:
    """Packs frames into one buffer that is kept."""

    def __init__(self) -> None:
        self._buffer = bytearray(LONGEST_FORM)
        self._view = memoryview(self._buffer)

    def encode(self, session: int, number: int, ack: int, form: Form, values: tuple[int | str, ...]) -> bytes:
        """Return the bytes of a line. The values are not checked: the sender knows them."""
        size = form.size
        if form.choices:
            own, head = list(values), form.head
            for at, words in form.choices:
                own[at - head] = words.index(own[at - head])
            values = tuple(own)
        if form.message.once:
            pack_into(form.layout, self._buffer, 0, session, form.code, ack & NUMBERS, number & NUMBERS, *values)
        else:
            pack_into(form.layout, self._buffer, 0, session, form.code, ack & NUMBERS, *values)
        pack_into("<I", self._buffer, size, crc32(self._view[:size]))
        return b2a_base64(self._view[: size + 4])


def decode(line: bytes, incoming: dict[str, Message]) -> Frame | None:
    """Return the frame in a line (bytes, without its end); None for a damaged line or a message not in ``incoming``."""
    if b" " in line:
        return decode_text(line, incoming)
    try:
        data = a2b_base64(line)
    except ValueError:
        return None
    size = len(data) - 4
    form = FORMS[data[2]] if size > 2 and data[2] < len(FORMS) else None
    # What is no Base64 is skipped, and so is what follows the end: of a line that lost its line feed, the next one.
    if form is None or size != form.size or len(line) != form.length:
        return None
    if unpack_from("<I", data, size)[0] != crc32(data[:size]):
        return None
    message = form.message
    if incoming.get(message.name) is not message:
        return None
    values = unpack_from(form.layout, data)
    for at, low, high in form.limits:
        if not low <= values[at] <= high:
            return None
    if form.choices:
        own = list(values)
        for at, words in form.choices:
            own[at] = words[own[at]]
        values = tuple(own)
    return Frame(values[0], values[3] if message.once else 0, values[2], message, values[form.head :])


class Decoder:
    """Finds the lines in a stream of bytes. Other bytes are dropped and counted; nothing here raises.

    ``incoming``: the messages to this side, by name.
    """

    def __init__(self, incoming: dict[str, Message]) -> None:
        self._incoming = incoming
        self._begun = b""
        self._is_noise = False
        self.dropped = 0
        """Number of damaged lines and of runs of noise."""

    def receive(self, data: bytes) -> list[Frame]:
        """Return the frames that end in ``data``, in order. Noise costs at most the line in which it occurs."""
        lines = (self._begun + data).split(b"\n")
        self._begun = lines.pop()
        frames = []
        for line in lines:
            if self._is_noise:
                self._is_noise = False
            elif line:
                frame = decode(line, self._incoming)
                if frame is None:
                    self.dropped += 1
                else:
                    frames.append(frame)
        if len(self._begun) > LONGEST:
            # The end of something that cannot be a line: what comes up to the next line feed belongs to it.
            self._begun = b""
            self.dropped += not self._is_noise
            self._is_noise = True
        return frames
