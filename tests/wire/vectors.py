"""Reads vectors.txt into a decoder, in whole and in pieces, and prints what comes out; runs on both interpreters."""

import sys

from tablewire.frame import Decoder, Encoder, Frame, encode_text
from tablewire.messages import ALWAYS, FORM_OF, HEARD_BY_HOST, HEARD_BY_PICO, SCHEMA, read, write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

HEARD = {"pico": HEARD_BY_PICO, "host": HEARD_BY_HOST}


def encode(session: int, number: int, ack: int, text: str) -> bytes:
    """The line of a message, such as ``deal 41 3 7``, with its end."""
    name, *words = text.split(" ")
    if name in ALWAYS:
        return encode_text(session, number, ack, text)
    values = read(FORM_OF[name].message, words)
    if values is None:
        raise ValueError(text)
    return Encoder().encode(session, number, ack, FORM_OF[name], values)


def vectors(path: str) -> "Iterator[tuple[str, bytes, str]]":
    """For whom, the line without its end, and what is to come out, as text."""
    with open(path) as file:
        for row in file:
            if row.strip() and not row.startswith("#"):
                who, line, expected = row.rstrip("\n").split(" | ")
                yield who, line.encode(), expected


def told(frame: Frame) -> str:
    """A frame as it stands in vectors.txt."""
    values = " ".join(str(value) for value in frame.values)
    return f"{frame.session} {frame.number} {frame.ack} {frame.message.name} {values}".strip()


def outcomes(who: str, line: bytes) -> "Iterator[tuple[str, str]]":
    """What comes out of the line: whole, byte by byte, with the beginning of another behind it, and after noise."""
    feeds = {
        "whole": [line + b"\n"],
        "by bytes": [bytes([byte]) for byte in line + b"\n"],
        "with a tail": [line + b"\n3f0a 18 9 de"],
        "after noise": [b"\xff\x00 *12\n" + line + b"\n"],
        "after a line too long": [b"x" * 70, b"y" * 70, b"z\n" + line, b"\n"],
    }
    for how in sorted(feeds):
        decoder = Decoder(HEARD[who])
        frames = []
        for n, data in enumerate(feeds[how]):
            came = decoder.receive(data)
            if came and b"\n" not in data:
                frames.append(f"early, at byte {n}")
            frames.extend(told(frame) for frame in came)
        yield how, "; ".join(frames) or "-"


def again(who: str, line: bytes) -> bytes:
    """The line as it is written anew from what it says, or nothing."""
    frames = Decoder(HEARD[who]).receive(line + b"\n")
    if not frames or frames[0].message.name == "hello":
        return b""
    frame = frames[0]
    return encode(frame.session, frame.number, frame.ack, write(frame.message, frame.values))


if __name__ == "__main__":
    print("schema", SCHEMA)
    for who, line, expected in vectors(sys.argv[1]):
        for how, came in outcomes(who, line):
            if came != expected:
                print(f"{line.decode()}, {how}: {came}")
        if again(who, line) not in (b"", line + b"\n"):
            print(f"{line.decode()}: written anew as {again(who, line).decode()}")
    print("done")
