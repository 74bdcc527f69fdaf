"""Which cards lie in pictures, and which are shown in videos."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from croupier.config import CONFIG
from croupier.pictures.pictures import Read, Unseen, draw, drawing_paths
from croupier.pictures.run_through import each_in_its_place


def report(
    images: Sequence[str], read: Read, *, as_json: bool = False, picture: str | None = None, config: Path = CONFIG
) -> int:
    """Read each picture, and each card shown in a video, with ``read`` and print it at once; 2 if one was neither."""
    drawings = [] if picture is None else drawing_paths(picture, images)
    status = 0
    for place, seen in each_in_its_place(images, read, "read", config):
        if as_json:
            print(json.dumps(seen.to_json()), flush=True)
        if isinstance(seen, Unseen):
            status = 2
            continue
        if not as_json:
            from croupier.pictures.card_list import print_cards  # rich takes its time: not for --json

            print_cards(seen)
        if drawings:
            draw(seen, drawings[place])
    return status
