"""Lines: how a message crosses the wire, and how it is told from noise.

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
"""Bytes of a line at most, with its end. What is longer is noise."""

Frame = namedtuple("Frame", ("session", "number", "ack", "message", "values"))


def encode(session: int, number: int, ack: int, text: str) -> bytes:
    """The bytes of a line."""
    body = f"{session:04x} {number} {ack} {text}"
    return f"{body} *{crc32(body.encode()):08x}\n".encode()


def decode(line: bytes, heard: dict[str, Message]) -> Frame | None:
    """The frame in a line (bytes, without its end), or None where it is none of ``heard``, undamaged."""
    body, star, check = line.rpartition(b" *")
    if not star or check != b"%08x" % crc32(body):
        return None
    # The checksum was right, so this is text that `encode` wrote; unless by chance, so nothing here may raise.
    if not all(32 <= one < 127 for one in body):
        return None
    words = body.decode().split(" ")
    if len(words) < 4 or len(words[0]) != 4 or not all(one in "0123456789abcdef" for one in words[0]):
        return None
    if not (_is_number(words[1]) and _is_number(words[2])):
        return None
    message = read(heard, words[3:])
    if message is None:
        return None
    return Frame(int(words[0], 16), int(words[1]), int(words[2]), message[0], message[1])


def _is_number(word: str) -> bool:
    return word.isdigit() and len(word) < 10 and (word == "0" or word[0] != "0")


class Decoder:
    """Finds the lines in a stream of bytes. Bytes that are no line are dropped and counted; nothing here raises.

    ``heard``: the messages that are for this side, by name.
    """

    def __init__(self, heard: dict[str, Message]) -> None:
        self._heard = heard
        self._begun = bytearray()
        self._is_noise = False
        self.dropped = 0
        """Lines that were damaged, or no lines at all."""

    def receive(self, data: bytes) -> list[Frame]:
        """The frames that end in ``data``, in order. Noise costs no more than the line it fell on."""
        frames: list[Frame] = []
        start = 0
        while True:
            end = data.find(b"\n", start)
            self._keep(data[start:] if end < 0 else data[start:end])
            if end < 0:
                return frames
            start = end + 1
            frame = None if self._is_noise else decode(self._line(), self._heard)
            if frame is not None:
                frames.append(frame)
            elif self._begun or self._is_noise:
                self.dropped += 1
            self._begun = bytearray()
            self._is_noise = False

    def _line(self) -> bytes:
        line = bytes(self._begun)
        return line[:-1] if line.endswith(b"\r") else line

    def _keep(self, data: bytes) -> None:
        if len(self._begun) + len(data) >= LONGEST:
            self._begun = bytearray()
            self._is_noise = True
        elif not self._is_noise:
            self._begun.extend(data)
