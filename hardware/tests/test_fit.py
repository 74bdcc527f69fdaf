"""Everything fits together: no two bodies overlap, a deck fits the hopper, and every card has a free way."""

from __future__ import annotations

from math import pi

import pytest

from croupier_rules.referee.header import MOST_SEATS
from hardware import bom, drive, wall
from hardware import parameters as p
from hardware.cad import assembly, bought_shoe, checks, exit_camera, shoe, turntable
from hardware.cad.assembly import Item
from hardware.cad.solids import bounds, box, rod

WITHOUT_CARDS = [item for item in assembly.shoe_items() if item.key != "cards"]


def in_the_way(of: object) -> dict[str, float]:
    cut = {item.key: checks.shared_mm3(item.shape, of) for item in WITHOUT_CARDS}
    return {key: mm3 for key, mm3 in cut.items() if mm3 > 0.01}


@pytest.mark.parametrize("group", assembly.GROUPS)
def test_no_two_bodies_are_in_one_place(group: str) -> None:
    assert list(checks.collisions(assembly.GROUPS[group]())) == []


def test_the_check_finds_bodies_in_one_place() -> None:
    low = Item("weight", shoe.weight(p.DECK_HEIGHT - 2), "light")
    assert [pair[:2] for pair in checks.collisions([low, Item("cards", bought_shoe.deck().shape, "card")])]


def test_a_deck_of_112_fits_the_hopper_with_the_weight_on_it() -> None:
    assert p.DECK_CARDS * p.CARD_THICKEST <= p.DECK_HEIGHT
    assert in_the_way(bought_shoe.deck().shape) == {}
    assert p.HOPPER_TOP > p.DECK_HEIGHT + 20, "the sides must still guide the weight"


@pytest.mark.parametrize("gap", [p.GATE_LOW, p.GATE_HIGH])
def test_the_way_of_a_card_is_free_from_the_hopper_to_the_table(gap: float) -> None:
    way = bought_shoe.card_way(p.CARD_THICKEST)
    assert {k: v for k, v in in_the_way(way).items() if k != "PRT-106"} == {}
    assert checks.shared_mm3(shoe.gate(gap), way) < 0.01


def test_the_exit_camera_sees_both_corners_of_a_card() -> None:
    view = exit_camera.view()
    at_the_side = (
        "PRT-112",
        "exit-barrier",
        "exit-camera",
        "exit-window",
    )  # the barrier covers the edge of a card, and no symbol
    inside = {item.key: checks.shared_mm3(item.shape, view) for item in assembly.exit_items()}
    assert {key: mm3 for key, mm3 in inside.items() if mm3 > 0.5 and key not in at_the_side} == {}


def test_two_cards_do_not_pass_the_gate_at_its_lowest() -> None:
    assert checks.shared_mm3(shoe.gate(p.GATE_LOW), bought_shoe.card_way(2 * p.CARD_THICKNESS)) > 1


@pytest.mark.parametrize("bend", [-p.CARD_BEND, p.CARD_BEND])
@pytest.mark.parametrize("thickness", [p.CARD_THINNEST, p.CARD_THICKEST])
def test_of_bent_cards_too_the_gate_lets_one_pass_and_holds_the_next(thickness: float, bend: float) -> None:
    gate = shoe.gate(min(max(thickness + p.GATE_OVER, p.GATE_LOW), p.GATE_HIGH))
    assert checks.shared_mm3(gate, bought_shoe.bent_cards(thickness, bend)) == 0
    held = checks.shared_mm3(gate, bought_shoe.bent_cards(2 * thickness, bend))
    assert held > p.GATE_BITE * p.GATE_TONGUE * p.GATE


def test_a_curled_edge_meets_the_bevel_of_the_gate() -> None:
    curled = bought_shoe.card_way(p.CARD_THICKNESS).rotate((p.PICK_X, 0, 0), (p.PICK_X, 1, 0), -7)
    met = shoe.gate(p.GATE_LOW).intersect(curled.intersect(box((p.PICK_X, p.GATE_X + 0.2), (-30, 30), (0, 2))))
    assert met.val().Volume() > 0
    assert bounds(met).xmin > p.GATE_X + 0.05


def test_a_pencil_reaches_both_buttons_of_the_board_through_the_lid() -> None:
    for at in turntable.BUTTONS:
        pencil = rod("z", at, p.BUTTON_HOLE - 0.2, (-20, 3.5))
        assert checks.shared_mm3(assembly.printed("PRT-202"), pencil) == 0
        assert any(
            part.is_back and turntable.on_board(sum(part.body.rows) / 2, sum(part.body.holes) / 2) == at
            for part in turntable.PLACED
            if part.body is not None
        )


def test_each_seat_has_its_socket_in_the_wall_and_what_stays_goes_out_below() -> None:
    assert sum(hole.part == "seat-socket" for hole in wall.HOLES) == MOST_SEATS
    base = assembly.printed("PRT-201")
    for one in wall.HOLES:
        thread, nut = wall.SIZES[one.part]
        ring = turntable.in_wall(one.at, nut, (-p.BASE_WALL + 0.5, -0.5))
        hole = turntable.in_wall(one.at, thread, (-p.BASE_WALL + 0.5, -0.5))
        solid = ring.val().Volume() - hole.val().Volume()
        assert checks.shared_mm3(base, ring) > 0.9 * solid, f"{one.device}: the nut lies on a gap"
    room = p.CABLE + 1
    assert p.CABLE_WAY_WIDTH // room >= len(wall.OPENING)
    cables = rod("x", (0, p.CABLE_WAY_HEIGHT / 2), room, (80, 110)).rotate((0, 0, 0), (0, 0, 1), turntable.CABLE_WAY)
    assert checks.shared_mm3(base, cables) == 0


SCREWS = {
    "floor": (shoe.floor, "y", (-150, shoe.FLOOR_TOP - p.FLOOR / 2), shoe.OUTSIDE - 16, 16),
    "motor mount": (shoe.motor_mount, "y", shoe._MOUNT_SCREWS[0], shoe.INSIDE + 3.2, 14),
    "foot, from outside": (lambda: shoe.foot(-10), "y", (-6, p.SHOE_BOTTOM + 5), shoe.OUTSIDE - 14, 14),
    "foot, from below": (lambda: shoe.foot(-10), "z", (-10, 12), p.SHOE_BOTTOM - p.TOP_PLATE, 10),
    "gate": (shoe.gate, "x", (18, p.GATE_LOW + 36), shoe.FRONT_WALL_X[1] + 0.5 - 8, 8),
    "bearing cap": (turntable.base, "z", turntable._CAP_SCREWS[0], turntable.BOSS_BOTTOM - 3, 10),
    "hub cap": (turntable.hub, "z", turntable._NUT_SCREWS[0], turntable.BOSS_BOTTOM - 3, 10),
    "plate": (turntable.hub, "z", turntable._HUB_SCREWS[0], turntable.PLATE_Z + p.TOP_PLATE - 10, 10),
    "hood": (exit_camera.hood, "z", (-10, 12), exit_camera.BOTTOM - p.TOP_PLATE, 8),
    "spacer": (lambda: shoe.foot(-150), "z", (-150, 12), exit_camera.BOTTOM - p.TOP_PLATE, 60),
}
"""Screws M3 of the assembly: what they bite into, axis, place, the lower end of their thread, length."""


@pytest.mark.parametrize("name", SCREWS)
def test_every_screw_bites_and_none_is_longer_than_its_hole(name: str) -> None:
    shape, axis, at, start, length = SCREWS[name]
    body = shape()
    core, thread = (rod(axis, at, size, (start, start + length)) for size in (p.M3_PILOT - 0.1, 3.0))
    assert checks.shared_mm3(body, core) < 0.01, "too long"
    bites_mm = checks.shared_mm3(body, thread) / (pi / 4 * (3.0**2 - p.M3_PILOT**2))
    assert bites_mm > 2


def test_the_spring_of_the_idler_is_as_long_between_arm_and_bar_as_it_was_computed_with() -> None:
    assert shoe.SPRING_Z[1] - shoe.SPRING_Z[0] == pytest.approx(p.SPRING_LENGTH)


def test_a_card_that_is_bent_a_little_still_passes_the_light_barrier() -> None:
    (barrier,) = (one for one in bought_shoe.shoe_sensors() if one.part == "exit-barrier")
    bent = bought_shoe.card_way(1.8).translate((0, 0, -0.6))
    assert checks.shared_mm3(barrier.shape, bent) < 0.01


def test_a_card_covers_the_beam_of_the_light_barrier() -> None:
    beam_y = -(shoe.OUTSIDE - 1 - p.BARRIER_HEIGHT + p.BARRIER_AXIS)
    assert abs(beam_y) < p.CARD_WIDTH / 2 - p.PLAY


def test_the_rollers_touch_the_card_and_nothing_else_holds_it_up() -> None:
    for number in ("PRT-108", "PRT-109"):
        assert bounds(assembly.printed(number)).zmax < 0
    tops = [bounds(one.shape).zmax for one in bought_shoe.shoe_rollers() if one.part == "o-ring"]
    assert tops == pytest.approx([0.0] * 4, abs=0.02)
    assert bounds(assembly.printed("PRT-103")).zmax < 0


def test_the_gate_goes_through_its_whole_range_within_its_long_holes() -> None:
    assert p.GATE_HIGH - p.GATE_LOW + 2 * p.GATE_SCREW < 8 - p.M3_HOLE


def test_the_machine_can_turn_without_touching_its_base_or_the_arm() -> None:
    bottom = min(bounds(item.shape).zmin for item in WITHOUT_CARDS) + turntable.SHOE_Z
    assert bottom >= turntable.PLATE_Z + p.TOP_PLATE - 0.01
    reach = max(
        (corner[0] ** 2 + corner[1] ** 2) ** 0.5
        for item in assembly.machine_items()
        for box in [bounds(item.shape)]
        for corner in ((box.xmin, box.ymin), (box.xmax, box.ymax), (box.xmin, box.ymax), (box.xmax, box.ymin))
        if box.zmin > turntable.PLATE_Z
    )
    assert reach < 150


def test_the_stop_lets_the_table_turn_as_far_as_the_firmware_asks_and_no_cable_is_torn() -> None:
    assert 190 < drive.stop_degrees() < 195


def test_plate_and_feet_turn_free_of_deck_motor_and_hall_post() -> None:
    turning = ("PRT-203", "PRT-206", "PRT-207", "PRT-210", "PRT-211", "magnet")
    still = [one for one in assembly.turntable_items() if not one.key.startswith((*turning, "PRT-209", "table-belt"))]
    for angle in range(-190, 191, 19):
        plate = assembly.printed("PRT-207").rotate((0, 0, 0), (0, 0, 1), angle)
        for item in still:
            assert checks.shared_mm3(item.shape, plate) < checks.CONTACT_MM3, (item.key, angle)


@pytest.mark.parametrize("way", [1, -1])
def test_the_peg_meets_the_lever_where_the_stop_was_computed(way: int) -> None:
    x, y = turntable.pivot()
    lever = assembly.printed("PRT-209").rotate((x, y, 0), (x, y, 1), way * p.STOP_SWING)

    def shared(degrees: float) -> float:
        plate = assembly.printed("PRT-207").rotate((0, 0, 0), (0, 0, 1), way * degrees)
        return checks.shared_mm3(lever, plate)

    assert shared(drive.stop_degrees() - 0.3) < 0.01
    assert shared(drive.stop_degrees() + 0.7) > 0.1


def test_the_lever_meets_its_screws_where_it_was_computed() -> None:
    x, y = turntable.pivot()
    screws = [rod("z", at, 3, turntable.LEVER_Z) for at in turntable.stop_screws()]
    for way, screw in ((-1, screws[0]), (1, screws[1])):
        lever = assembly.printed("PRT-209")
        met = [checks.shared_mm3(lever.rotate((x, y, 0), (x, y, 1), way * angle), screw) for angle in (46, 50)]
        assert met[0] < 0.01 < met[1]


def test_the_lever_of_the_stop_swings_free_of_everything_else() -> None:
    lever = assembly.printed("PRT-209")
    x, y = turntable.pivot()
    others = [item for item in assembly.turntable_items() if item.key not in ("PRT-209", "PRT-207")]
    for angle in range(-int(p.STOP_SWING), int(p.STOP_SWING) + 1, 12):
        swung = lever.rotate((x, y, 0), (x, y, 1), angle)
        for item in others:
            assert checks.shared_mm3(item.shape, swung) < checks.CONTACT_MM3, (item.key, angle)


def test_the_turntable_is_no_harder_to_turn_than_the_motor_was_computed_for() -> None:
    """Steel parts at their weight, printed ones as filled, the deck at its own."""
    grams = {"cards": p.DECK_CARDS * p.CARD_GRAMS, "feed-motor": p.FEED_MOTOR_GRAMS, "PRT-107": p.WEIGHT_GRAMS}
    inertia = 0.0
    turning = [item for item in assembly.machine_items() if bounds(item.shape).zmax > turntable.PLATE_Z]
    for item in turning:
        if item.key.startswith(
            ("PRT-201", "PRT-208", "PRT-209", "table-belt", "pulley-20", "home-sensor", "turn-motor")
        ):
            continue
        body = item.shape.val()
        dense = p.PLASTIC * p.FILLED if item.key.startswith("PRT") else p.STEEL
        mass = grams.get(item.key, body.Volume() * dense)
        center, box = body.Center(), bounds(item.shape)
        own = (box.xlen**2 + box.ylen**2) / 12
        inertia += mass * (center.x**2 + center.y**2 + own)
    assert inertia / 1e9 <= p.INERTIA


def test_every_bought_body_is_in_the_bill_with_enough_of_them() -> None:
    bill = bom.parts()
    counts: dict[str, int] = {}
    for name, group in assembly.GROUPS.items():
        for item in group():
            is_shared = name == "exit-camera" and item.part == "exit-barrier"  # the shoe has it
            if not item.key.startswith("PRT") and not is_shared:
                counts[item.part] = counts.get(item.part, 0) + 1
    for name, n in counts.items():
        if name not in ("cards", "paint", "profile", "button-board"):
            assert bill[name].needed["full"] + bill[name].needed["exit-camera"] >= n, name


def test_there_is_enough_filament_in_the_bill() -> None:
    grams = sum(part.count * assembly.printed(part.number).val().Volume() for part in assembly.PRINTED)
    assert grams * p.PLASTIC * p.FILLED < 1000 * bom.parts()["filament"].needed["full"]
