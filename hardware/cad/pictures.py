"""Draws every step of the assembly into hardware/pictures."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from hardware.cad import assembly
from hardware.cad.assembly import Item
from hardware.cad.render import Drawn, View, picture
from hardware.cad.steps import EXPLODED, STEPS, Step, Way

FOLDER: Final = Path(__file__).parents[1] / "pictures"

GROUPS: Final = {
    **assembly.GROUPS, "shoe": assembly.shoe_items, "turntable": assembly.turntable_items,
    "exploded": assembly.shoe_items,
}  # fmt: skip


def chosen(items: Iterable[Item], ways: dict[str, Way]) -> list[tuple[Item, Way]]:
    """Return each item whose key is, or begins with, one of these keys, with its way."""
    found = []
    for item in items:
        key = next((key for key in ways if item.key == key or item.key.startswith(f"{key} ") or not key), None)
        if key is None:
            key = next((key for key in ways if item.key.startswith(key)), None)
        if key is not None:
            found.append((item, ways[key]))
    return found


def drawn(step: Step, before: list[Item]) -> list[Drawn]:
    """Return the contents of a step's picture: earlier parts in pale gray, new printed parts in orange."""
    items = GROUPS[step.group]()
    ways = EXPLODED if step.group == "exploded" else step.new
    new = chosen(items, ways)
    keys = {item.key for item, _ in new}
    old = [
        Drawn(item, color="old", solid=0.25 if item.key in step.clear else 1.0)
        for item in before
        if item.key not in keys
    ]
    bright = "accent" if step.goes_on else ""
    return old + [Drawn(item, by=way, color=bright if item.key.startswith("PRT") else "") for item, way in new]


def draw(folder: Path = FOLDER) -> None:
    """Draw all steps."""
    folder.mkdir(exist_ok=True)
    before: list[Item] = []
    for step in STEPS:
        if not step.goes_on:
            before = []
        things = drawn(step, before)
        picture(things, folder / f"{step.name}.png", View(step.around, step.above))
        before = [thing.item for thing in things]
