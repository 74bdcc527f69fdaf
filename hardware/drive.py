"""What the motors can do, reckoned from the parameters: the feeding of cards, the turn, and their reserves.

Firmware, deal plan and simulation have figures of the same machine; tests/hardware compares them with these.
"""

from __future__ import annotations

from math import cos, pi, radians, sin, sqrt, tan

from hardware import parameters as p

GRAVITY = 9.81


def pick_per_exit() -> float:
    """How fast the pick roller turns for each turn of the exit roller. Both are of one size."""
    return p.EXIT_TEETH / p.PICK_TEETH


def card_gap_mm() -> float:
    """The gap between two cards at the exit.

    A card is taken as soon as the one before has left the pick roller, and goes at that roller's slow speed until the
    exit roller has it; the card before runs ahead at full speed meanwhile.
    """
    to_nip = p.NIP_X - p.GATE_X
    under_deck = p.GATE_X - p.PICK_X
    return to_nip / pick_per_exit() - to_nip - under_deck


def stall_torque_nm() -> float:
    """Of the feed motor's gear: its most power is a quarter of stall torque times free speed."""
    return 4 * p.FEED_POWER_W / (p.FEED_RPM * 2 * pi / 60)


def share(center_mm: float) -> float:
    """The part of a weight that the pick roller carries; its center is so far behind the gate. The floor's back end
    carries the rest."""
    return (p.CARD_LENGTH - center_mm) / (p.CARD_LENGTH - (p.GATE_X - p.PICK_X))


def _loads_n() -> tuple[float, float]:
    """What lies on the lowest card of a full hopper, and what of it the roller carries."""
    weight, deck = (grams / 1000 * GRAVITY for grams in (p.WEIGHT_GRAMS, p.DECK_CARDS * p.CARD_GRAMS))
    return weight + deck, weight * share(p.WEIGHT_CENTER) + deck * share(p.CARD_LENGTH / 2)


def drag_n(cards: float) -> float:
    """What holds the lowest card of a full hopper back: the card above it, and the tape below it."""
    all_n, roller_n = _loads_n()
    return cards * all_n + p.TAPE * (all_n - roller_n)


def pull_reserve(rubber: float, cards: float) -> float:
    """How many times what holds the lowest card back the roller could pull; below 1 it slips."""
    return rubber * _loads_n()[1] / drag_n(cards)


def load_part() -> float:
    """The part of its stall torque that the motor needs while a card is picked."""
    torque = drag_n(p.CARDS_WORST) * p.ROLLER / 2000 * pick_per_exit() + 0.003
    return torque / stall_torque_nm()


def exit_speed_mm_s() -> float:
    """How fast a card leaves with the motor at its full voltage."""
    return p.FEED_RPM / 60 * pi * p.ROLLER * (1 - load_part())


def feed_current_a() -> float:
    """What the feed motor draws while it feeds."""
    return p.FEED_FREE_A + (p.FEED_STALL_A - p.FEED_FREE_A) * load_part()


def steps_of_a_turn() -> float:
    """Steps of one revolution of the turntable."""
    return p.MOTOR_STEPS * p.MICROSTEPS * p.TABLE_TEETH / p.MOTOR_TEETH


def gear() -> float:
    """Turns of the motor for one of the turntable."""
    return p.TABLE_TEETH / p.MOTOR_TEETH


def stepper_torque_nm() -> float:
    """What the stepper gives at the turntable's axis while it turns slowly: half of what it holds, through the gear."""
    return p.MOTOR_HOLDING_NM / 2 * gear()


def turn_torque_nm() -> float:
    """What speeding up the turntable takes at its own axis."""
    return p.INERTIA * p.TABLE_ACCELERATION


def exit_height_mm() -> float:
    """How high above the table a card leaves."""
    return p.BASE_HEIGHT + p.TOP_GAP + p.TOP_PLATE - p.SHOE_BOTTOM


def flight_mm(speed_mm_s: float) -> float:
    """How far it flies before it lands, if it falls as a stone does."""
    return speed_mm_s * sqrt(2 * exit_height_mm() / (GRAVITY * 1000))


def reach_mm(speed_mm_s: float, friction: float = 0.3) -> float:
    """How far a card slides on cloth, without the fall before it."""
    return speed_mm_s**2 / (2 * friction * GRAVITY * 1000)


def view_mm() -> tuple[float, float]:
    """What the camera sees of the table from the top of its arm: across, and upright."""
    across, upright = (2 * p.ARM_HEIGHT * tan(radians(angle / 2)) for angle in (p.CAMERA_VIEW_X, p.CAMERA_VIEW_Y))
    return across, upright


def stop_degrees() -> float:
    """How far from the magnet the table turns to either side before the peg under the plate holds it.

    Half a turn brings the peg to the lever; it pushes the lever on until that meets its screw.
    """
    swing = radians(p.STOP_SWING)
    touch = (p.STOP_PEG + p.STOP_WIDTH) / 2
    for hundredth in range(3_000):
        angle = radians(hundredth / 100)
        ahead, aside = p.STOP_RADIUS * cos(angle) - p.STOP_PIVOT, p.STOP_RADIUS * sin(angle)
        if ahead * sin(swing) - aside * cos(swing) <= touch:
            return 180 + hundredth / 100
    raise ValueError("the peg passes the lever")
