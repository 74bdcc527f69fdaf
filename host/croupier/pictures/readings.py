"""Pictures and what was read in them: what `croupier read`, `tally`, `audit` and `enroll` have in common."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np
from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text

from cardsight.annotate import annotate
from cardsight.errors import NotAPicture
from cardsight.sighting import Reading, Sighting
from cardsight.sources import Picture, load_picture
from croupier.cards import COLORS, UNREAD
from croupier.console import Console
from croupier.errors import CannotWrite, ModelNotFound, one_line
from croupier.i18n import _, ngettext
from croupier.output_files import check_new, write_new

if TYPE_CHECKING:
    from cardsight.model import Model


_NO_PIXELS: Final[Picture] = np.zeros((0, 0, 3), np.uint8)

Read = Callable[[Picture], Reading]
"""What reads the cards of a picture: `cardsight.reader.Reader.read`."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A picture and what was read in it; ``image`` is its name as the caller gave it. ``beside``: of a video, what else
    lies there, face down or told before."""

    image: str
    picture: Picture
    reading: Reading
    beside: tuple[Sighting, ...] = ()

    def in_words(self) -> str:
        """One line: how many cards of which sort, and how long it took."""
        reading = self.reading
        told = [ngettext("{n} card", "{n} cards", len(reading.cards))]
        if reading.unreadable:
            told.append(_("not readable: {n}", n=reading.unreadable))
        if reading.backs:
            told.append(_("face down: {n}", n=len(reading.backs)))
        return f"{_called(self.image)}: {', '.join([*told, f'{reading.ms:.0f} ms'])}"

    def to_json(self) -> dict[str, Any]:
        """The line of `croupier read --json` for this picture (contract: commands)."""
        return {
            "image": self.image,
            "size": list(self.reading.size),
            "cards": [_card_to_json(card) for card in self.reading.cards],
            "face_down": len(self.reading.backs),
            "unreadable": self.reading.unreadable,
            "ms": round(self.reading.ms, 1),
        }


@dataclass(frozen=True, slots=True)
class Unseen:
    """A file that could not be read as a picture, and why."""

    image: str
    error: str

    def to_json(self) -> dict[str, Any]:
        """The line that stands in the place of a reading (contract: commands)."""
        return {"image": self.image, "error": self.error}


def card_reader() -> Read:
    """The card reader with the model that ships. Raises `ModelNotFound`."""
    from cardsight.reader import Reader

    return Reader(shipped_model()).read


def shipped_model() -> Model:
    """What the card reader has learned. Loading it takes a moment. Raises `ModelNotFound`."""
    from cardsight import model

    try:
        return model.load()
    except FileNotFoundError as fault:
        raise ModelNotFound(
            f"{fault.filename}: " + _("this part of the card reader is missing; install croupier anew")
        ) from fault


def see(images: Sequence[str], read: Read, command: str) -> Iterator[Seen | Unseen]:
    """Each picture in the order given, as soon as it is read; what is no picture is also told on standard error."""
    for image in images:
        try:
            picture = load_picture(image)
        except NotAPicture as fault:
            yield unseen(image, fault, command)
        else:
            yield seen_in(image, picture, read(picture))


def seen_in(image: str, picture: Picture, reading: Reading, beside: tuple[Sighting, ...] = ()) -> Seen:
    """A picture that was read, its cards in rows."""
    return Seen(image, picture, replace(reading, cards=in_rows(reading.cards)), beside)


def set_aside(seen: Seen) -> Seen:
    """The same without its pixels, to be drawn on later: those of a whole deck, as phones take pictures, are more than
    a small computer holds. Standard input cannot be read again, and keeps them."""
    return seen if seen.image == "-" else replace(seen, picture=_NO_PIXELS)


def taken_up(seen: Seen) -> Seen:
    """What was set aside, with its pixels. Raises `CannotWrite` where they are gone."""
    if seen.picture is not _NO_PIXELS:
        return seen
    try:
        return replace(seen, picture=load_picture(seen.image))
    except NotAPicture as fault:
        raise CannotWrite(f"--picture: {one_line(seen.image)}: {fault}") from fault


def unseen(image: str, fault: Exception, command: str) -> Unseen:
    """A file that is no picture, told on standard error."""
    print(f"croupier {command}: {_called(image)}: {fault}", file=sys.stderr, flush=True)
    return Unseen(image, str(fault))


def drawing_paths(out: str, images: Sequence[str]) -> list[Path]:
    """Where each picture's drawing goes: ``out`` itself for one picture, else ``out-1``, ``out-2``, … in order.

    Raises `CannotWrite` where a file of that name exists already, its folder does not, or no picture ends so; nothing
    is ever written over.
    """
    path = Path(out)
    if path.suffix.lower() not in (".png", ".jpg", ".jpeg"):
        raise CannotWrite(f"--picture {out}: " + _("expected a name that ends in {kinds}", kinds=".png, .jpg"))
    if not path.parent.is_dir():
        raise CannotWrite(f"--picture {out}: " + _("there is no folder {folder}; make it first", folder=path.parent))
    numbers = [""] if len(images) == 1 else [f"-{n}" for n in range(1, len(images) + 1)]
    paths = [path.with_stem(path.stem + number) for number in numbers]
    for drawing in paths:
        check_new(drawing, "--picture")
    return paths


def draw(seen: Seen, path: Path, labels: Sequence[str] | None = None, caption: str = "") -> None:
    """Write to ``path`` what was read, drawn onto the picture. Raises `CannotWrite`."""
    _is_done, encoded = cv2.imencode(path.suffix, annotate(seen.picture, seen.reading, labels, caption))
    write_new(path, encoded.tobytes(), "--picture")


def _called(image: str) -> str:
    """What people read of the name of a picture."""
    return _("standard input") if image == "-" else one_line(image)


def _card_to_json(card: Sighting) -> dict[str, Any]:
    told: dict[str, Any] = {
        "card": card.face,
        "confidence": round(card.confidence, 4),
        "quad": [[round(x, 1), round(y, 1)] for x, y in card.corners_px],
        "symbol": card.symbol,
    }
    if card.face == "?":
        told["candidates"] = [{"card": face, "confidence": round(p, 4)} for face, p in card.candidates]
    return told


def in_rows(cards: Sequence[Sighting]) -> tuple[Sighting, ...]:
    """The cards row by row from the top, each row from left to right.

    A row is begun by its topmost card; what has its middle above that card's lower edge belongs to it.
    """
    rows: list[list[Sighting]] = []
    for card in sorted(cards, key=lambda card: middle(card)[1]):
        if rows and middle(card)[1] < max(y for _, y in rows[-1][0].corners_px):
            rows[-1].append(card)
        else:
            rows.append([card])
    return tuple(card for row in rows for card in sorted(row, key=lambda card: middle(card)[0]))


def middle(card: Sighting) -> tuple[float, float]:
    """The middle of a card: x, y in pixels."""
    x, y = (sum(axis) / len(axis) for axis in zip(*card.corners_px, strict=True))
    return x, y


_STYLES: Final = {color: color for color in COLORS} | {UNREAD: "bold magenta"}


def card_text(face: str) -> Text:
    """A face in its color; the word says it too."""
    return Text(face, style=_STYLES.get(face.split("-")[0], "bold"))


def print_cards(seen: Seen, points: Sequence[int | None] | None = None) -> None:
    """One picture: how many cards in a line, then each card with how sure it is, where it lies and its points.

    Columns that would say nothing are left out.
    """
    print(seen.in_words())
    table = Table(box=None, padding=(0, 2), header_style="dim")
    cards = seen.reading.cards
    columns: list[tuple[str, JustifyMethod, list[str | Text]]] = [
        ("card", "left", [card_text(card.face) for card in cards]),
        ("sure", "right", [f"{card.confidence:.1%}" for card in cards]),
        ("at x, y", "right", ["{:.0f}, {:.0f}".format(*middle(card)) for card in cards]),
        ("mark", "left", [card.symbol or "" for card in cards]),
        ("points", "right", ["?" if p is None else str(p) for p in points or ()]),
        ("may be", "left", [" or ".join(face for face, _share in card.candidates[:3]) for card in cards]),
    ]
    columns = [column for column in columns if any(column[2])]
    for title, justify, _cells in columns:
        table.add_column(title, justify=justify, no_wrap=title != "may be")  # what is too much goes on below
    for row in zip(*(cells for _title, _justify, cells in columns), strict=True):
        table.add_row(*row)
    if cards:
        Console(highlight=False).print(table)
