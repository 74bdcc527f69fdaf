"""The process that reads pictures of hands for the page: `python -m croupier.pictures.worker [DECK PROFILE]`.

Pictures of strangers are decoded here, in a process with bounded memory that keeps nothing: not in the page, which
loads no OpenCV, nor in the table. It ends with its standard input.

On standard input each picture is its length (4 bytes, big-endian) and a JPEG; the answer on standard output is one
line, as of `croupier read --json` or ``{"error": …}``.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

import cv2

from cardsight.errors import NotAPicture
from cardsight.headers import stated_size
from cardsight.sources.picture import decode_picture
from croupier.errors import CroupierError
from croupier.pictures.readings import Read, picture_read
from croupier.pictures.table_reader import hand_readers

MOST_DATA: Final = 768 << 20
"""Bytes of memory; a picture of `MOST_PIXELS` takes two thirds."""
MOST_BYTES: Final = 8 << 20
MOST_PIXELS: Final = 8_000_000
"""Of a picture; the page's script sends at most 2560 x 2560."""
_JPEG: Final = b"\xff\xd8\xff"
_THREADS: Final = 2


def answer(data: bytes, read: Read) -> str:
    """The line that answers a picture."""
    try:
        if not data.startswith(_JPEG):
            raise NotAPicture("expected a JPEG picture")
        width, height = stated_size(data) or (0, 0)
        if width * height > MOST_PIXELS:
            raise NotAPicture(f"{width}x{height} pixels: expected at most {MOST_PIXELS // 10**6} megapixels")
        picture = decode_picture(data)
        return json.dumps(picture_read("", picture, read(picture)).to_json())
    except (NotAPicture, MemoryError, cv2.error) as err:
        return json.dumps({"error": str(err) or "too large"})


def serve(requests: BinaryIO, answers: BinaryIO, read: Read) -> None:
    """Answer pictures until there are no more."""
    while 0 < (size := int.from_bytes(requests.read(4), "big")) <= MOST_BYTES:
        if len(data := requests.read(size)) < size:
            return
        answers.write(answer(data, read).encode() + b"\n")
        answers.flush()


def main() -> None:
    """Serve on standard input and output; whatever else writes to standard output is dropped."""
    with suppress(ImportError):  # Windows has no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MOST_DATA, MOST_DATA))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    cv2.setNumThreads(_THREADS)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    try:
        read = hand_readers(Path(sys.argv[1]) if sys.argv[1:] else None)[1]
    except CroupierError as err:
        answers.write(json.dumps({"error": str(err)}).encode() + b"\n")
        answers.flush()
        return
    serve(sys.stdin.buffer, answers, read)


if __name__ == "__main__":
    main()
