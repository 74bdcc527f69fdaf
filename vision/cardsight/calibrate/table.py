"""The calibration of a table, and its file."""

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
from croupier_rules.cards import CARD_MM

PILE_MM: Final = 170.0
"""Side of the square around the discard pile: people lay cards up to half a card's length beside each other."""
SEAT_MM: Final = 350.0
"""Assumed distance of a seat from the pile if only the number of seats is known."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Places on the table in mm: x right, y down, as the camera sees it.

    ``size``: of the picture (px). ``pile``: center of the discard pile. ``tally``: corners of the area for open hands,
    ``None`` for everything that the camera sees. ``seats``: places of the seats, clockwise from seat 0. ``white``:
    color of white under the lamp (BGR, 0…255), ``None`` if not measured.
    """

    size: tuple[int, int]
    plane: Plane
    pile: Point = (0.0, 0.0)
    tally: tuple[Point, ...] | None = None
    seats: tuple[Point, ...] = ()
    white: tuple[float, float, float] | None = None

    def pile_px(self) -> Points:
        """Return the corners (4, 2) of the square around the discard pile (px)."""
        half = PILE_MM / 2
        around = np.array([(-half, -half), (half, -half), (half, half), (-half, half)])
        return self.plane.to_px(around + self.pile)

    def tally_px(self) -> Points:
        """Return the corners of the area for open hands (px)."""
        width, height = self.size
        if self.tally is None:
            return np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float64)
        return self.plane.to_px(self.tally)

    def card_px(self, at: Point, length_mm: float = CARD_MM[1]) -> float:
        """Return the length in px of a card at a place (mm): the mean of both directions."""
        ends = [(at[0] + x, at[1] + y) for x, y in ((length_mm / 2, 0), (0, length_mm / 2))]
        return float(np.linalg.norm(self.plane.to_px(ends) - self.plane.to_px([at]), axis=1).mean() * 2)

    def on(self, plane: Plane) -> Calibration:
        """Return the same table on another plane with its origin at the pile. All places keep their px."""
        before = self.plane.upright_at(self.plane.to_px([self.pile])[0])

        def there(points: tuple[Point, ...]) -> tuple[Point, ...]:
            return tuple(map(_point, before.to_mm(self.plane.to_px(points)))) if points else ()

        tally = None if self.tally is None else there(self.tally)
        return replace(self, plane=plane, pile=(0.0, 0.0), tally=tally, seats=there(self.seats))

    def with_even_seats(self, n: int) -> Calibration:
        """Return ``n`` seats evenly around the pile: seat 0 below it in the picture, the others clockwise."""
        x, y = self.pile
        right, down = self.plane.to_mm(self.plane.to_px([self.pile]) + (0.0, 1.0))[0] - self.pile
        first = math.atan2(down, right)
        angles = [first + 2 * math.pi * seat / n for seat in range(n)]
        return replace(self, seats=tuple((x + SEAT_MM * math.cos(a), y + SEAT_MM * math.sin(a)) for a in angles))

    def with_seats_at(self, places: Sequence[Point]) -> Calibration:
        """Return seats at these places (mm), numbered clockwise from the lowest one in the picture."""
        px = self.plane.to_px(places)
        first = int(np.argmax(px[:, 1]))
        x, y = self.pile
        turn = [math.atan2(b - y, a - x) for a, b in places]
        order = sorted(range(len(places)), key=lambda n: (turn[n] - turn[first]) % (2 * math.pi))
        return replace(self, seats=tuple((float(places[n][0]), float(places[n][1])) for n in order))

    def to_toml(self) -> str:
        """Return the content of the file."""
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
    """Load a calibration. Raises `NotACalibration`; its text names the fault and the remedy."""
    try:
        held = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NotACalibration("no such file; make it with croupier calibrate") from None
    except OSError as fault:
        raise NotACalibration(f"cannot be opened: {fault.strerror}") from fault
    except (ValueError, RecursionError) as fault:
        raise NotACalibration(f"{fault}; expected TOML made by croupier calibrate") from fault
    if held.get("version") != VERSION:
        raise NotACalibration(f"entry version is {_shown(held.get('version'))}; expected {VERSION}, calibrate anew")
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
    """Return a section of the file; empty if it is missing."""
    section = held.get(name, {})
    if not isinstance(section, dict):
        raise NotACalibration(f"entry {name} is {_shown(section)}; expected a section [{name}], calibrate anew")
    return section


def _shown(value: object, text: Callable[[object], str] = repr) -> str:
    try:
        return text(value)
    except ValueError:  # Python formats no integer of more than 4,300 digits
        return "a number of thousands of digits"


def _above_zero(numbers: NDArray[np.float64], name: str) -> NDArray[np.float64]:
    if (numbers <= 0).any():
        raise NotACalibration(f"entry {name} is {numbers.tolist()}; expected numbers above 0, calibrate anew")
    return numbers


def _numbers(held: dict[str, Any], name: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the numbers called ``name`` in this shape; -1 stands for any number, () for a single one."""
    expected = f"{' x '.join('n' if n < 0 else str(n) for n in shape)} numbers" if shape else "a number"
    try:
        numbers = np.array(held[name], np.float64).reshape(shape)
    except (KeyError, TypeError, ValueError, OverflowError):
        found = _shown(held.get(name, "missing"), str)
        raise NotACalibration(f"entry {name} is {found}; expected {expected}") from None
    if not np.isfinite(numbers).all():
        raise NotACalibration(f"entry {name} holds what is no number; expected {expected}")
    return numbers


def _point(pair: NDArray[np.float64]) -> Point:
    return float(pair[0]), float(pair[1])


def _listed(numbers: Sequence[float] | NDArray[np.float64], digits: int = 1) -> str:
    return f"[{', '.join(f'{float(n):.{digits}f}' for n in numbers)}]"
