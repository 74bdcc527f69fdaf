"""The process that reads pictures of hands for the page, its parent.

Pictures of strangers are decoded here, in a process with bounded memory that keeps nothing: not in the page, which
loads no OpenCV, nor in the table. It ends with the page. What comes is the name of a deck (or nothing), the number of
cards (or nothing), each with a line break, and a picture; the answer is JSON, as of `croupier read --json` or
``{"error": …}``.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import cv2

from cardsight.errors import NotAPicture
from cardsight.headers import remedy, stated_size
from cardsight.sighting import CameraFault
from cardsight.sources.picture import decode_picture
from croupier.child_process import Channel
from croupier.errors import CroupierError
from croupier.pictures.readings import Read, Still, picture_read, scored_face
from croupier.pictures.table_reader import hand_readers
from croupier_rules.cards import UNREAD, shown_by

MOST_DATA: Final = 768 << 20
"""Bytes of memory; a picture of `MOST_PIXELS` takes two thirds."""
MOST_PIXELS: Final = 8_000_000
"""Of a picture; the page's script sends at most 2560 x 2560."""
_JPEG: Final = b"\xff\xd8\xff"
_THREADS: Final = 2
_FAULTS: Final[dict[CameraFault, str]] = {
    "torn": "its lower part is missing; take the picture again",
    "mirrored": "it is mirrored",
    "colors-exchanged": "red and blue are exchanged in it",
}


def answer(data: bytes, read: Read) -> str:
    """The answer to a picture."""
    try:
        if not data.startswith(_JPEG):
            raise NotAPicture(remedy(data) or "expected a JPEG picture")
        width, height = stated_size(data) or (0, 0)
        if width * height > MOST_PIXELS:
            raise NotAPicture(f"{width}x{height} pixels: expected at most {MOST_PIXELS // 10**6} megapixels")
        picture = decode_picture(data)
        reading = read(picture)
        if reading.fault is not None and not reading.is_mended:
            raise NotAPicture(_FAULTS[reading.fault])
        cards = tuple(replace(card, face=scored_face(card) or UNREAD) for card in reading.cards)
        return json.dumps(picture_read("", picture, replace(reading, cards=cards)).to_json())
    except (NotAPicture, MemoryError, cv2.error) as err:
        return json.dumps({"error": str(err) or "too large"})


def read_pictures(channel: Channel, profile: Path | None) -> None:
    """The main function of the process: answer each picture of the page, with the deck profile, if there is one."""
    with suppress(ImportError):  # Windows has no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MOST_DATA, MOST_DATA))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    cv2.setNumThreads(_THREADS)
    readers: dict[bytes, Still] = {}
    while True:
        deck, number, picture = channel.receive().split(b"\n", 2)
        try:
            if deck not in readers:
                readers[deck] = hand_readers(profile, shown_by(deck.decode()) if deck else None, is_refereed=True)[1]
        except CroupierError as err:
            channel.send_bytes(json.dumps({"error": str(err)}).encode())
            return
        read = partial(readers[deck], number=int(number) if number else None)
        channel.send_bytes(answer(picture, read).encode())
