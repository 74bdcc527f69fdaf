"""Pictures and what was read in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import cv2

from cardsight.sighting import Reading, Sighting
from cardsight.sources import Picture
from croupier.errors import CannotWrite
from croupier.i18n import _, language
from croupier.output_files import check_new, write_new
from croupier_rules.cards import KIND, UNREAD
from croupier_rules.deck_list import DeckList, shipped_points

Read = Callable[[Picture], Reading]
"""Reads the cards of a picture, such as `cardsight.reader.Reader.read`."""
Still = Callable[..., Reading]
"""Explains a whole picture, as the one of `table_reader.hand_readers`; also given the ``number`` of its cards, where
people know it."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A picture and its reading. ``image``: its name as the caller gave it. ``other_cards``: in a video, what else lies
    there: cards face down and cards that were reported before."""

    image: str
    picture: Picture
    reading: Reading
    other_cards: tuple[Sighting, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The line of `croupier read --json` for this picture (contract: commands)."""
        line: dict[str, Any] = {
            "image": self.image,
            "size": list(self.reading.size),
            "cards": [_card_to_json(card) for card in self.reading.cards],
            "face_down": len(self.reading.backs),
            "unreadable": self.reading.unreadable,
            "ms": round(self.reading.ms, 1),
        }
        if self.reading.may_hide:
            line["may_hide"] = True
        if self.reading.fault is not None:
            line |= {"camera": self.reading.fault, "mended": self.reading.is_mended}
        return line


def picture_read(image: str, picture: Picture, reading: Reading, other_cards: tuple[Sighting, ...] = ()) -> Seen:
    """Combine a picture and its reading, with the cards in rows."""
    return Seen(image, picture, replace(reading, cards=in_rows(reading.cards)), other_cards)


def drawing_paths(out: str, images: Sequence[str]) -> list[Path]:
    """Return the path of each picture's drawing: ``out`` for one picture, else ``out-1``, ``out-2``, … in order.

    Raises `CannotWrite` if a drawing exists already, its folder does not exist, or the suffix is not that of a picture.
    """
    path = Path(out)
    if path.suffix.lower() not in (".png", ".jpg", ".jpeg"):
        raise CannotWrite(f"--picture {out}: " + _("expected a name that ends in {kinds}", kinds=".png, .jpg"))
    if not path.parent.is_dir():
        raise CannotWrite(f"--picture {out}: " + _("there is no folder {folder}; create it first", folder=path.parent))
    numbers = [""] if len(images) == 1 else [f"-{n}" for n in range(1, len(images) + 1)]
    paths = [path.with_stem(path.stem + number) for number in numbers]
    for drawing in paths:
        check_new(drawing, "--picture")
    return paths


def draw(seen: Seen, path: Path, labels: Sequence[str] | None = None, caption: str = "") -> None:
    """Draw the reading onto the picture and write it to ``path``. Raises `CannotWrite`."""
    from cardsight.annotate import annotate

    _is_done, encoded = cv2.imencode(path.suffix, annotate(seen.picture, seen.reading, labels, caption))
    write_new(path, encoded.tobytes(), "--picture")


def _card_to_json(card: Sighting) -> dict[str, Any]:
    line: dict[str, Any] = {
        "card": card.face,
        "confidence": round(card.confidence, 4),
        "quad": [[round(x, 1), round(y, 1)] for x, y in card.corners_px],
        "symbol": card.symbol,
    }
    if card.face == "?":
        line["candidates"] = [{"card": face, "confidence": round(p, 4)} for face, p in card.candidates]
    if card.doubts:
        line["doubts"] = list(card.doubts)
    if card.under is not None:
        line["under"] = card.under
    return line


def in_rows(cards: Sequence[Sighting]) -> tuple[Sighting, ...]:
    """Sort cards as people read them: row by row from the top, each row from left to right.

    The topmost card begins a row; cards whose middle is above its lower edge belong to that row.
    """
    rows: list[list[Sighting]] = []
    for card in sorted(cards, key=lambda card: middle(card)[1]):
        if rows and middle(card)[1] < max(y for _, y in rows[-1][0].corners_px):
            rows[-1].append(card)
        else:
            rows.append([card])
    return tuple(card for row in rows for card in sorted(row, key=lambda card: middle(card)[0]))


def middle(card: Sighting) -> tuple[float, float]:
    """Return the middle of a card: x, y in px."""
    x, y = (sum(axis) / len(axis) for axis in zip(*card.corners_px, strict=True))
    return x, y


def points_of(face: str, deck: DeckList | None = None) -> int | None:
    """Return the points of a card: of its ``deck``, else of the decks that ship; None if it could not be read."""
    if deck is not None and face in deck.points:
        return deck.points[face]
    return shipped_points().get(face)


SAME_POINTS: Final = 0.9
"""Probability from which a card has certain points, whichever of its candidates it is: that from which a face is not
doubted."""


def scored_face(card: Sighting, deck: DeckList | None = None) -> str | None:
    """Return the face for which a card is scored: the one that was read, or the likeliest candidate if the others have
    the same points, as ``yellow-4`` and ``yellow-4*`` or the four colors of a gray picture; else None."""
    if card.face != UNREAD:
        return card.face
    if not card.candidates:
        return None
    likeliest = card.candidates[0][0]
    alike = sum(share for face, share in card.candidates if points_of(face, deck) == points_of(likeliest, deck))
    return likeliest if alike >= SAME_POINTS else None


def face_in_words(face: str) -> str:
    """Return the name of a face in the reader's language; in English, and for a face that only a person's own deck has,
    the word that commands take."""
    if face not in KIND or language() == "en":
        return face
    from croupier_rules.referee.explain import card_name  # not needed before the first result in English

    return card_name(face, language())
