"""Which cards lie in pictures."""

from __future__ import annotations

import json
from collections.abc import Sequence

from croupier.app.reading.pictures import Read, Unseen, draw, drawing_paths, see


def report(images: Sequence[str], read: Read, *, as_json: bool = False, picture: str | None = None) -> int:
    """Read each picture with ``read`` and print it at once; 2 if one of them was none."""
    drawings = [] if picture is None else drawing_paths(picture, images)
    status = 0
    for place, seen in enumerate(see(images, read, "read")):
        if as_json:
            print(json.dumps(seen.to_json()), flush=True)
        if isinstance(seen, Unseen):
            status = 2
            continue
        if not as_json:
            from croupier.app.reading.card_list import print_cards  # rich takes its time: not for --json

            print_cards(seen)
        if drawings:
            draw(seen, drawings[place])
    return status
