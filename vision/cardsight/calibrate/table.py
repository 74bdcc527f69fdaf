"""What a camera above a table needs to know of it, and its file."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardsight.calibrate.plane import Plane, Points
from cardsight.errors import NotACalibration
from croupier.cards import CARD_MM

PILE_MM: Final = 170.0
"""Side of the square in which the discard pile lies: people lay cards up to half a card's length beside each other."""
SEAT_MM: Final = 350.0
"""How far from the pile a seat is taken to be where only the number of seats is known."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Where things are on the table, in mm; x right, y down, as the camera sees it.

    ``size``: of the picture, px. ``pile``: the middle of the discard pile. ``tally``: the corners of the area in which
    hands are laid open, or ``None`` for all that the camera sees. ``seats``: where each sits, clockwise from seat 0.
    ``white``: what white looks like under this lamp, BGR 0…255, or ``None`` where that was not measured.
    """

    size: tuple[int, int]
    plane: Plane
    pile: Point = (0.0, 0.0)
    tally: tuple[Point, ...] | None = None
    seats: tuple[Point, ...] = ()
    white: tuple[float, float, float] | None = None

    def pile_px(self) -> Points:
        """The corners of the square around the discard pile, px, (4, 2)."""
        half = PILE_MM / 2
        around = np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
        return self.plane.to_px(around + self.pile)

    def tally_px(self) -> Points:
        """The corners of the area for open hands, px."""
        width, height = self.size
        if self.tally is None:
            return np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float64)
        return self.plane.to_px(self.tally)

    def card_px(self, at: Point, length_mm: float = CARD_MM[1]) -> float:
        """How long a card is in the picture that lies there (mm), in px: the mean of all directions."""
        ends = [(at[0] + x, at[1] + y) for x, y in ((length_mm / 2, 0), (0, length_mm / 2))]
        return float(np.linalg.norm(self.plane.to_px(ends) - self.plane.to_px([at]), axis=1).mean() * 2)

    def on(self, plane: Plane) -> Calibration:
        """The same table on another plane, whose 0, 0 is the pile: around it all lies as the camera saw it before."""
        before = self.plane.upright_at(self.plane.to_px([self.pile])[0])

        def there(points: tuple[Point, ...]) -> tuple[Point, ...]:
            return tuple(map(_point, before.to_mm(self.plane.to_px(points)))) if points else ()

        tally = None if self.tally is None else there(self.tally)
        return replace(self, plane=plane, pile=(0.0, 0.0), tally=tally, seats=there(self.seats))

    def with_even_seats(self, n: int) -> Calibration:
        """``n`` seats evenly round the pile, seat 0 below it in the picture, the others clockwise."""
        x, y = self.pile
        right, down = self.plane.to_mm(self.plane.to_px([self.pile]) + (0.0, 1.0))[0] - self.pile
        first = math.atan2(down, right)
        angles = [first + 2 * math.pi * seat / n for seat in range(n)]
        return replace(self, seats=tuple((x + SEAT_MM * math.cos(a), y + SEAT_MM * math.sin(a)) for a in angles))

    def with_seats_at(self, places: Sequence[Point]) -> Calibration:
        """Seats at these places (mm), numbered clockwise from the one lowest in the picture."""
        px = self.plane.to_px(places)
        first = int(np.argmax(px[:, 1]))
        x, y = self.pile
        turn = [math.atan2(b - y, a - x) for a, b in places]
        order = sorted(range(len(places)), key=lambda n: (turn[n] - turn[first]) % (2 * math.pi))
        return replace(self, seats=tuple((float(places[n][0]), float(places[n][1])) for n in order))

    def to_toml(self) -> str:
        """The text of its file."""
        rows = ",\n  ".join(_listed(row, 10) for row in self.plane.homography / self.plane.homography[2, 2])
        lines = [
            "# Made by croupier calibrate. Millimeters on the table: x right, y down, as the camera sees it.",
            f"version = {VERSION}",
            f"picture_px = {_listed(self.size, 0)}",
            "",
            "[plane] # from millimeters to pixels",
            f"homography = [\n  {rows}\n]",
            f"error_mm = {self.plane.error_mm:.2f}",
            "",
            "[table]",
            f"pile = {_listed(self.pile)}",
            *([] if self.tally is None else [f"tally = [{', '.join(map(_listed, self.tally))}]"]),
            f"seats = [{', '.join(map(_listed, self.seats))}] # clockwise",
            *([] if self.white is None else ["", "[light]", f"white_bgr = {_listed(self.white)}"]),
        ]
        return "\n".join(lines) + "\n"


VERSION: Final = 1


def load(path: Path) -> Calibration:
    """The calibration in a file. Raises `NotACalibration`, whose text says what is wrong and what to do."""
    try:
        held = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotACalibration("no such file; make it with croupier calibrate") from None
    except OSError as fault:
        raise NotACalibration(f"cannot be opened: {fault.strerror}") from fault
    except (ValueError, RecursionError) as fault:
        raise NotACalibration(f"{fault}; expected TOML made by croupier calibrate") from fault
    if held.get("version") != VERSION:
        raise NotACalibration(f"version is {_shown(held.get('version'))}; expected {VERSION}, calibrate anew")
    width, height = _above_zero(_numbers(held, "picture_px", (2,)), "picture_px")
    plane, table, light = (_section(held, name) for name in ("plane", "table", "light"))
    homography = _numbers(plane, "homography", (3, 3))
    with np.errstate(over="ignore", invalid="ignore"):
        determinant = abs(np.linalg.det(homography))
    if not 1e-12 <= determinant < np.inf:
        raise NotACalibration("homography maps the table onto a line; calibrate anew")
    return Calibration(
        (int(width), int(height)),
        Plane(homography, float(_numbers(plane, "error_mm", ())) if "error_mm" in plane else 0.0),
        _point(_numbers(table, "pile", (2,))),
        tuple(map(_point, _numbers(table, "tally", (-1, 2)))) if "tally" in table else None,
        tuple(map(_point, _numbers(table, "seats", (-1, 2)))),
        tuple(_above_zero(_numbers(light, "white_bgr", (3,)), "white_bgr").tolist()) if light else None,
    )


def _section(held: dict[str, Any], name: str) -> dict[str, Any]:
    """The part of the file that is called so; empty where it is missing."""
    section = held.get(name, {})
    if not isinstance(section, dict):
        raise NotACalibration(f"{name} is {_shown(section)}; expected a section [{name}], calibrate anew")
    return section


def _shown(value: object, text: Callable[[object], str] = repr) -> str:
    try:
        return text(value)
    except ValueError:  # Python writes out no number of more than 4,300 digits
        return "a number of thousands of digits"


def _above_zero(numbers: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    if (numbers <= 0).any():
        raise NotACalibration(f"{name} is {numbers.tolist()}; expected numbers above 0, calibrate anew")
    return numbers


def _numbers(held: dict[str, Any], name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The numbers called ``name``, in this shape (-1: any number; empty: just one)."""
    expected = f"{' x '.join('n' if n < 0 else str(n) for n in shape)} numbers" if shape else "a number"
    try:
        numbers = np.array(held[name], np.float64).reshape(shape)
    except (KeyError, TypeError, ValueError, OverflowError):
        found = _shown(held.get(name, "missing"), str)
        raise NotACalibration(f"{name} is {found}; expected {expected}") from None
    if not np.isfinite(numbers).all():
        raise NotACalibration(f"{name} holds what is no number; expected {expected}")
    return numbers


def _point(pair: NDArray[np.float64]) -> Point:
    return float(pair[0]), float(pair[1])


def _listed(numbers: Sequence[float] | NDArray[np.float64], digits: int = 1) -> str:
    return f"[{', '.join(f'{float(n):.{digits}f}' for n in numbers)}]"
