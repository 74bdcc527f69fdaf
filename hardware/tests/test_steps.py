from __future__ import annotations

from pathlib import Path

from hardware.cad import arm, assembly, pictures
from hardware.cad.steps import EXPLODED, STEPS

TEXT = (Path(__file__).parents[1] / "assembly.md").read_text(encoding="utf-8")


def test_every_printed_part_comes_in_some_step_and_is_named_in_the_text() -> None:
    shown = {key for step in STEPS for key in step.new}
    for part in assembly.PRINTED:
        assert part.number in TEXT, part.name
        assert part.number in shown or part in arm.PARTS, part.name


def test_every_body_of_a_group_comes_in_one_of_its_steps() -> None:
    for group in ("shoe", "turntable", "panel", "seat", "ring"):
        before: list[assembly.Item] = []
        come: set[str] = set()
        for step in STEPS:
            if step.group == group:
                come |= {thing.item.key for thing in pictures.drawn(step, before)}
        assert come == {item.key for item in pictures.GROUPS[group]()}, group


def test_every_key_of_a_step_names_something() -> None:
    for step in STEPS:
        items = pictures.GROUPS[step.group]()
        for key in {**step.new, **(EXPLODED if step.group == "exploded" else {})}:
            assert pictures.chosen(items, {key: (0.0, 0.0, 0.0)}), f"{step.name}: {key}"


def test_the_exploded_view_moves_every_part_of_the_shoe() -> None:
    moved = pictures.chosen(assembly.shoe_items(), EXPLODED)
    assert len(moved) == len(assembly.shoe_items())
