"""Figures of the drives, computed from the parameters: feeding, turning, and their reserves.

Firmware, deal plan and simulation have figures of the same machine; tests/hardware compares them with these.
"""

from __future__ import annotations

from math import atan2, cos, degrees, log, pi, radians, sin, sqrt, tan

from hardware import parameters as p

GRAVITY = 9.81


def pick_per_exit() -> float:
    """Return the turns of the pick roller for one turn of the exit roller. Both have the same diameter."""
    return p.EXIT_TEETH / p.PICK_TEETH


def card_gap_mm() -> float:
    """Return the gap between two cards at the exit.

    The pick roller takes a card as soon as the card before has left it. It moves the card at its own slow speed until
    the exit roller grips; meanwhile the card before runs ahead at full speed.
    """
    to_nip = p.NIP_X - p.GATE_X
    under_deck = p.GATE_X - p.PICK_X
    return to_nip / pick_per_exit() - to_nip - under_deck


def stall_torque_nm() -> float:
    """Return the stall torque of the feed motor's gear. The greatest power is a quarter of stall torque times free
    speed."""
    return 4 * p.FEED_POWER_W / (p.FEED_RPM * 2 * pi / 60)


def share(center_mm: float) -> float:
    """Return the fraction of a weight that the pick roller carries; the floor's back end carries the rest.
    ``center_mm``: from the gate back to the center of the weight."""
    return (p.CARD_LENGTH - center_mm) / (p.CARD_LENGTH - (p.GATE_X - p.PICK_X))


def loads_n(cards: float = p.DECK_CARDS) -> tuple[float, float]:
    """Return the load on the lowest of so many cards in the hopper, and the roller's part of it."""
    weight, deck = (grams / 1000 * GRAVITY for grams in (p.WEIGHT_GRAMS, cards * p.CARD_GRAMS))
    return weight + deck, weight * share(p.WEIGHT_CENTER) + deck * share(p.CARD_LENGTH / 2)


def drag_n(friction: float, cards: float = p.DECK_CARDS) -> float:
    """Return the friction on the lowest of so many cards: from the card above it and the tape below it.
    ``friction``: of card on card."""
    all_n, roller_n = loads_n(cards)
    return friction * all_n + p.TAPE * (all_n - roller_n)


def pull_reserve(
    rubber: float, friction: float, cards: float = p.DECK_CARDS, pad_n: float = p.PAD, grip: float = p.PAD_BEST
) -> float:
    """Return the roller's greatest pull on the lowest card over the friction on it; below 1 the roller slips.
    ``pad_n``: the retard pads press so on the card before the roller; ``grip``: their friction on it."""
    return rubber * (loads_n(cards)[1] + pad_n) / (drag_n(friction, cards) + grip * pad_n)


def spring_rate() -> float:
    """Return the rate of the idler's spring (N/mm), by EN 13906-1."""
    middle = p.SPRING_OUTSIDE - p.SPRING_WIRE
    return p.SPRING_STEEL * p.SPRING_WIRE**4 / (8 * middle**3 * p.SPRING_TURNS)


def nip_reserve(rubber: float, friction: float, cards: float = p.DECK_CARDS) -> float:
    """Return the exit roller's greatest pull on a card over the friction on it while the deck still lies on the card;
    the pick roller lets go of it then."""
    return rubber * spring_rate() * (p.SPRING_FREE - p.SPRING_LENGTH) / drag_n(friction, cards)


def load_part() -> float:
    """Return the fraction of its stall torque that the motor needs to pick a card."""
    torque = drag_n(p.CARDS_WORST) * p.ROLLER / 2000 * pick_per_exit() + 0.003
    return torque / stall_torque_nm()


def exit_speed_mm_s() -> float:
    """Return the speed of a card at the exit with the motor at its full voltage."""
    return p.FEED_RPM / 60 * pi * p.ROLLER * (1 - load_part())


def feed_current_a() -> float:
    """Return the current of the feed motor while it feeds."""
    return p.FEED_FREE_A + (p.FEED_STALL_A - p.FEED_FREE_A) * load_part()


def steps_of_a_turn() -> float:
    """Return the steps of one revolution of the turntable."""
    return p.MOTOR_STEPS * p.MICROSTEPS * p.TABLE_TEETH / p.MOTOR_TEETH


def gear() -> float:
    """Return the turns of the motor for one of the turntable."""
    return p.TABLE_TEETH / p.MOTOR_TEETH


def stepper_torque_nm() -> float:
    """Return the torque of the stepper at the turntable's axis in slow motion: half of its holding torque, geared."""
    return p.MOTOR_HOLDING_NM / 2 * gear()


def vref_v() -> float:
    """Return the voltage at VREF of the stepper driver for the phase current chosen (V)."""
    full_a = p.DRIVER_FULL_V / (p.DRIVER_SENSE_OHM + p.DRIVER_SENSE_INSIDE) / sqrt(2)
    return p.DRIVER_VREF * p.MOTOR_PHASE_A / full_a


def turn_torque_nm() -> float:
    """Return the torque at the turntable's axis that its acceleration needs."""
    return p.INERTIA * p.TABLE_ACCELERATION


def exit_height_mm() -> float:
    """Return the height of the card exit above the table."""
    return p.BASE_HEIGHT + p.TOP_GAP + p.TOP_PLATE - p.SHOE_BOTTOM


def flight_mm(speed_mm_s: float) -> float:
    """Return the distance that a card flies before it lands, in free fall."""
    return speed_mm_s * sqrt(2 * exit_height_mm() / (GRAVITY * 1000))


def reach_mm(speed_mm_s: float, friction: float = 0.3) -> float:
    """Return the distance that a card slides on cloth, without its flight."""
    return speed_mm_s**2 / (2 * friction * GRAVITY * 1000)


def coupling_use() -> float:
    """Return how much of what the coupling forgives the motor's mount needs: both ways the shafts may be off, by the
    holes of a print, as the data sheet adds them (1 is all)."""
    angle = degrees(atan2(2 * p.PRINT_OFFSET, p.FEED_MOTOR_HOLES))
    return p.PRINT_OFFSET / p.COUPLING_RADIAL + angle / p.COUPLING_ANGLE


def press_delay_us() -> float:
    """Return how much later the pin of a seat is low than its contact closes. It is the same for all seats."""
    return p.SEAT_OHM * p.SEAT_NF / 1000 * log(3.3 / p.SEAT_LOW)


def power_reading() -> float:
    """Return what the Pico's converter reads at the least supply of the motors, of 65,535."""
    share = p.SENSE_LOWER_OHM / (p.SENSE_UPPER_OHM + p.SENSE_LOWER_OHM)
    return p.SENSE_LEAST_V * share / p.LOGIC_V * 65_535


def hall_mt() -> float:
    """Return the field of the magnet where the hall switch senses, on the axis of both (mT)."""
    near, radius = p.HALL_GAP + p.HALL_DEEP, p.MAGNET / 2
    far = near + p.MAGNET_HEIGHT
    return 1000 * p.MAGNET_T / 2 * (far / sqrt(radius**2 + far**2) - near / sqrt(radius**2 + near**2))


def hall_reserve() -> float:
    """Return that field over the one at which the hall switch switches."""
    return hall_mt() / p.HALL_MT


def exit_view_mm() -> tuple[float, float]:
    """Return the size of what the camera at the exit sees in the plane of the cards: across them, along their way."""
    enlarged = (p.EXIT_DISTANCE - p.EXIT_LENS) / p.EXIT_LENS
    return 1280 * p.EXIT_PIXEL * enlarged, 800 * p.EXIT_PIXEL * enlarged


def view_mm() -> tuple[float, float]:
    """Return the size of the camera's view of the table from the top of its arm: across, upright."""
    across, upright = (2 * p.ARM_HEIGHT * tan(radians(angle / 2)) for angle in (p.CAMERA_VIEW_X, p.CAMERA_VIEW_Y))
    return across, upright


def stop_degrees() -> float:
    """Return the angle from the magnet to either side at which the stop holds the table.

    After half a turn the peg under the plate meets the lever and pushes it on until the lever meets its screw.
    """
    swing = radians(p.STOP_SWING)
    touch = (p.STOP_PEG + p.STOP_WIDTH) / 2
    for hundredth in range(3_000):
        angle = radians(hundredth / 100)
        ahead, aside = p.STOP_RADIUS * cos(angle) - p.STOP_PIVOT, p.STOP_RADIUS * sin(angle)
        if ahead * sin(swing) - aside * cos(swing) <= touch:
            return 180 + hundredth / 100
    raise ValueError("the peg passes the lever")
