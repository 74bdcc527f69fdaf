"""Prints the cards in a picture: python examples/read_picture.py docs/table.jpg. Needs cardsight only."""

import sys

from cardsight import Reader, load_picture

for card in Reader().read(load_picture(sys.argv[1])).cards:
    best = card.face if card.face != "?" else " or ".join(face for face, _chance in card.candidates)
    x, y = (round(sum(corner[i] for corner in card.corners_px) / 4) for i in (0, 1))
    print(f"{best} at x {x}, y {y} px, {card.confidence:.0%} sure")
