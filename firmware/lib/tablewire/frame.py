"""Lines: how a message crosses the wire, and how it is distinguished from noise.

::

    3f0a 17 9 deal 41 3 7 *5a3f09c1

A session (four hex digits; 0000 before there is one), the number of the line in that session (0: not numbered), the
last number that arrived in order from the other side, the message, and the CRC-32 of all before the blank and the star.

Why CRC-32: a line that lost, doubled or swapped bytes is random to a checksum. Of ten million such lines CRC-16 lets
about 150 pass (one in 65,536), CRC-32 one in 430 times ten million (one in 4.3 thousand million); and what passes must
still be a message with all its values allowed, in this session, with the very number that is due. It costs nothing
more: `binascii` has it in C.
"""

from binascii import crc32
from collections import namedtuple

from tablewire.messages import Message, read

LONGEST = 120
"""Maximum length of a line with its end (bytes). Longer input is noise."""

Frame = namedtuple("Frame", ("session", "number", "ack", "message", "values"))


def encode(session: int, number: int, ack: int, text: str) -> bytes:
    """Return the bytes of a line."""
    body = f"{session:04x} {number} {ack} {text}"
    return f"{body} *{crc32(body.encode()):08x}\n".encode()


def decode(line: bytes, incoming: dict[str, Message]) -> Frame | None:
    """Return the frame in a line (bytes, without its end); None for a damaged line or a message not in ``incoming``."""
    body, star, check = line.rpartition(b" *")
    if not star or check != b"%08x" % crc32(body):
        return None
    # The checksum is right, so `encode` wrote this; or it is so by chance, and then nothing here may raise.
    try:
        words = body.decode().split(" ")
        session, number, ack = int(words[0], 16), int(words[1]), int(words[2])
        message = incoming[words[3]]
    except (ValueError, IndexError, KeyError):  # UnicodeError is a ValueError
        return None
    values = read(message, words[4:])
    return None if values is None else Frame(session, number, ack, message, values)


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
