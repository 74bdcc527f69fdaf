"""Every dimension and every figure of the machine, with its unit and its source.

Lengths are in mm. In the shoe, x is the way of a card from the light barrier, as in the simulation; y is across; z is
up from the plane in which the cards lie on the rollers. *Chosen* is a decision of this design; *computed* follows from
other figures here; the rest names its source. Nothing has been measured on a machine.
"""

from __future__ import annotations

from math import pi, radians, tan
from typing import Final

from hardware.commands import run
from hardware.quantity import Quantity, mm

# -- Cards (notes on the mechanics: sizes on sale) ---------------------------------------------------------------------

CARD_LENGTH: Final = mm(88, "published: 87 to 88.9")
CARD_WIDTH: Final = mm(56, "published: 55.9")
CARD_THICKNESS: Final = mm(0.25, "published: 0.2 to 0.3")
CARD_THICKEST: Final = mm(0.30, "published: 0.2 to 0.3")
CARD_THINNEST: Final = mm(0.20, "published: 0.2 to 0.3")
CARD_UNEVEN: Final = mm(0.005, "assumed: from card to card of a deck, standard deviation")
CARD_BEND: Final = mm(1.0, "chosen: height of the bow of a card; flatten what is bent more")
CARD_MODULUS: Final = Quantity(3_000, "N/mm²", "assumed: board of 300 g/m², along the card")
CARD_CORNER: Final = mm(4, "published: radius")
CARD_GRAMS: Final = Quantity(1.7, "g", "published: about 1.5 to 1.8, 300 g/m²")
DECK_CARDS: Final = Quantity(112, "cards", "the larger of the decks that the rules name")
DECK_HEIGHT: Final = mm(34, "112 cards of 0.3, the thickest on sale")
RUBBER_WORST: Final = Quantity(0.75, "", "assumed: silicone of 50 ShA on card, dusty; the notes give hard rubber 0.6")
RUBBER_BEST: Final = Quantity(1.1, "", "assumed: silicone of 50 ShA on card, clean; the notes give hard rubber 1.0")
CARDS_WORST: Final = Quantity(0.3, "", "notes: friction of card on card 0.2 to 0.3 when new, higher when worn")
CARDS_BEST: Final = Quantity(0.2, "", "notes: friction of card on card 0.2 to 0.3 when new, higher when worn")
CARDS_WORN: Final = Quantity(0.3, "", "assumed: wear adds so much of the friction of card on card")
CARDS_DAMP: Final = Quantity(0.2, "", "assumed: damp air and fat of fingers add so much of it")
CARDS_UNEVEN: Final = Quantity(0.1, "", "assumed: of it, from card to card, standard deviation")
TAPE: Final = Quantity(0.12, "", "PTFE tape on the hopper's floor: about 0.1")

# -- Belts, screws, bearings -----------------------------------------------------------------------------------------

BELT_PITCH: Final = mm(2, "GT2")
BELT_WIDTH: Final = mm(6, "GT2, 6 mm")
BELT_INSIDE: Final = mm(0.254, "GT2: from the pitch line to the tip of a pulley's tooth")
M3_HOLE: Final = mm(3.4, "M3, medium fit")
M3_PILOT: Final = mm(2.6, "chosen: an M3 screw cuts its own thread in the print")
M3_HEAD: Final = mm(6.2, "M3 cylinder head 5.5, with play")


def belt_pulley(teeth: float) -> float:
    """Return the pitch diameter of a GT2 pulley."""
    return teeth * BELT_PITCH / pi


def pulley_outside(teeth: float) -> float:
    """Return the outside diameter of a GT2 pulley."""
    return belt_pulley(teeth) - 2 * BELT_INSIDE


def belt_distance(length: float, large: float, small: float) -> float:
    """Return the distance of two pulleys under a tight closed belt of this length. ``large``, ``small``: numbers of
    teeth."""
    a, b = belt_pulley(large), belt_pulley(small)
    distance = (length - pi / 2 * (a + b)) / 2
    for _ in range(20):
        distance = (length - pi / 2 * (a + b) - (a - b) ** 2 / (4 * distance)) / 2
    return distance


# -- Shoe: rollers, gate, exit ---------------------------------------------------------------------------------------

ROLLER: Final = mm(18.4, "chosen: two O-rings of 3 in grooves of 12.4; gives the full speed of the firmware")
ORING: Final = mm(3, "O-ring 12 x 3, silicone of 50 ShA")
ROLLER_WIDTH: Final = mm(30, "chosen: leaves the edges of a card to the floor")
EXIT_TEETH: Final = Quantity(16, "teeth", "chosen: GT2 pulley on the exit roller")
PICK_TEETH: Final = Quantity(36, "teeth", "chosen: GT2 pulley on the pick roller; slower, so that cards part")
FEED_BELT: Final = mm(110, "closed GT2 belt, 55 teeth: the crown of the roller is 3 behind the gate")
EXIT_SHAFT: Final = mm(5, "chosen")
PICK_SHAFT: Final = mm(6, "the one-way clutch HFL0615 wants 6 mm, hardened")
CLUTCH: Final = mm(10, "HFL0615: outside")
CLUTCH_LENGTH: Final = mm(15, "HFL0615: the clutch between two needle bearings, which carry the roller")
SHOE_FEET: Final = mm(14, "chosen: width of the two bars under the shoe")
BEARING_625: Final = mm(16, "625ZZ: 5 x 16 x 5")
BEARING_626: Final = mm(19, "626ZZ: 6 x 19 x 6")
BEARING_623: Final = mm(10, "623ZZ: 3 x 10 x 4")

NIP_X: Final = mm(-45, "simulation: the rollers let go of a card whose leading edge is 43 past the barrier")
GATE_X: Final = mm(-70, "simulation: a card lies ready 70 before the barrier")
HOPPER_SENSOR_X: Final = mm(-108, "simulation: free once the leading edge has come to 20 before the barrier")
PICK_X: Final = mm(NIP_X - belt_distance(FEED_BELT, PICK_TEETH, EXIT_TEETH), "computed from the belt")
GATE_LOW: Final = mm(0.30, "notes: 1.5 card thicknesses, adjustable 0.30 to 0.50")
GATE_HIGH: Final = mm(0.50, "notes: 1.5 card thicknesses, adjustable 0.30 to 0.50")
GATE_SCREW: Final = mm(0.5, "pitch of M3: one turn of the screw")
GATE_OVER: Final = mm(0.0833, "chosen: a sixth of a turn of its screw over the card that drags")
GATE_ERROR: Final = mm(0.02, "assumed: of a gate set by hand, standard deviation")
GATE_BITE: Final = mm(0.03, "assumed: of a card's edge, that the gate still holds")
GATE_BEVEL_HEIGHT: Final = mm(0.6, "chosen: the edges of two cards; a curled edge slides down it")
GATE_BEVEL: Final = Quantity(30, "°", "chosen: of the bevel, off upright")
GATE_EDGE_X: Final = mm(GATE_X + GATE_BEVEL_HEIGHT * tan(radians(GATE_BEVEL)), "computed: behind the bevel")
GATE_WEDGE: Final = Quantity(0.5, "", "assumed: of a held card's push, turned downwards by bevel and rounded edge")
BENCH_DECKS: Final = Quantity(20, "decks", "chosen: ten new and ten worn ones, or as many evenings")
GATE_TONGUE: Final = mm(24, "chosen: only the middle of a card is held back")
PAD: Final = Quantity(1.0, "N", "chosen: both retard pads together press so on the card under them")
PAD_ERROR: Final = Quantity(
    0.25, "N", "assumed: of that, from a height set by hand and a pad that ages, standard deviation"
)
PAD_WORST: Final = Quantity(0.6, "", "assumed: friction of polyurethane foam on card, worn smooth")
PAD_BEST: Final = Quantity(0.9, "", "assumed: friction of polyurethane foam on card, new")
PAD_FREE: Final = mm(6, "polyurethane foam, soft: sheet of 6")
PAD_WIDTH: Final = mm(5, "chosen: each of the two, across a card, over the O-rings")
PAD_LENGTH: Final = mm(3.8, "chosen: each of the two, along a card")
PAD_STIFF: Final = Quantity(0.15, "N/mm²", "assumed: modulus of soft polyurethane foam up to a quarter of its height")
PAD_SQUEEZE: Final = mm(
    PAD / (2 * PAD_WIDTH * PAD_LENGTH) / PAD_STIFF * PAD_FREE, "computed; a card more or less is a quarter of it"
)
PLAY: Final = mm(1, "chosen: on each side of a card")
FLOOR_DOWN: Final = mm(0.4, "chosen: the rollers stand out of the floor by so much")
FLOOR_RAMP: Final = mm(1.0, "chosen: how deep the floor begins before the pick roller; the pads press a card down")
FLOOR: Final = mm(6, "chosen: takes M3 screws into its edge")
SIDE: Final = mm(6, "chosen: takes the bearings")
SHOE_BACK: Final = mm(-168, "chosen")
SHOE_FRONT: Final = mm(20, "chosen")
SHOE_BOTTOM: Final = mm(-25, "chosen: below the largest pulley and the motor's mount")
HOPPER_TOP: Final = mm(75, "chosen: a full deck and more than half of the weight")
EXIT_TOP: Final = mm(24, "chosen")
FRONT_WALL: Final = mm(5, "chosen")
GATE: Final = mm(5, "chosen: takes M3 screws from the front")
WEIGHT_HEIGHT: Final = mm(56, "notes: two decks' thickness")
WEIGHT_GRAMS: Final = Quantity(250, "g", "chosen: presses with 2.5 N on the last card, more than a deck does")
WEIGHT_CENTER: Final = mm(18, "chosen: its steel lies near the gate, so that the roller carries most of it")

SPRING_WIRE: Final = mm(0.5, "chosen: spring of the idler")
SPRING_OUTSIDE: Final = mm(5, "chosen: fits its holes of 5.6")
SPRING_TURNS: Final = Quantity(8, "turns", "chosen: that work")
SPRING_FREE: Final = mm(15, "chosen: without load")
SPRING_LENGTH: Final = mm(11.4, "of the shapes: between the grounds of its holes, a card in the nip")
SPRING_STEEL: Final = Quantity(81_500, "N/mm²", "EN 10270-1: shear modulus of spring wire")

BARRIER_GAP: Final = mm(3.1, "TCST2103")
BARRIER_LENGTH: Final = mm(24.5, "TCST2103, with its flanges")
BARRIER_BODY: Final = mm(11.9, "TCST1103, the same without flanges")
BARRIER_WIDTH: Final = mm(6.3, "TCST2103")
BARRIER_HEIGHT: Final = mm(10.8, "TCST2103")
BARRIER_AXIS: Final = mm(2.7, "TCST2103, from its top; read off the drawing, to be checked on the part")
BARRIER_HOLES: Final = mm(19, "TCST2103, between the holes of its flanges")
REFLEX_LENGTH: Final = mm(10.2, "TCRT5000")
REFLEX_WIDTH: Final = mm(5.8, "TCRT5000")
REFLEX_HEIGHT: Final = mm(7, "TCRT5000")
REFLEX_DISTANCE: Final = mm(2.5, "TCRT5000: it sees best what is so far away")

EXIT_LIFT: Final = mm(50, "chosen: the lens sees both corners of a card from here")
EXIT_DISTANCE: Final = mm(55.3, "computed: from the lens to the card, for the view that its reader assumes")
EXIT_SEEN_X: Final = mm(20, "chosen: before and behind the barrier; a corner symbol ends at 19")
EXIT_SEEN_Y: Final = mm(27.5, "chosen: half a card but for its edge")
EXIT_WINDOW: Final = mm(2, "chosen: clear polycarbonate")
EXIT_LENS: Final = mm(2.8, "chosen: focal length")
EXIT_PIXEL: Final = mm(0.003, "OV9782: 1280 x 800 of them")
EXIT_BOARD: Final = mm(38, "boards of USB cameras: 38 x 38, holes 34 apart")
EXIT_FLASH_US: Final = Quantity(
    45, "µs", "computed: 0.45 x 10 k x 10 nF of a CD74HC123; to be checked on its data sheet"
)

# -- Feed motor (Pololu 25D MP 12 V, 4.4:1) --------------------------------------------------------------------------

FEED_MOTOR: Final = mm(25, "Pololu 25D")
FEED_MOTOR_LENGTH: Final = mm(61, "Pololu 25D with encoder, 4.4:1; to be checked on the part")
FEED_MOTOR_SHAFT: Final = mm(4, "Pololu 25D, with a flat")
FEED_MOTOR_HOLES: Final = mm(17, "Pololu 25D: two M3")
FEED_MOTOR_GRAMS: Final = Quantity(104, "g", "Pololu 25D with encoder, 4.4:1: about")
FEED_COUPLING: Final = mm(22, "KTR ROTEX GS 7: 14 x 22 with its spider; to be checked on the part")
COUPLING_RADIAL: Final = mm(0.10, "KTR-N 45510, ROTEX GS 7 with 92 ShA: shafts beside each other, at most")
COUPLING_ANGLE: Final = Quantity(1.0, "°", "KTR-N 45510, ROTEX GS 7 with 92 ShA: shafts at an angle, at most")
PRINT_OFFSET: Final = mm(0.05, "assumed: two holes of one print, from where they should be; to be measured")
FEED_RPM: Final = Quantity(1_700, "1/min", "computed: 7,500 of the motor without load, through 4.4:1")
FEED_STALL_A: Final = Quantity(1.8, "A", "Pololu 25D data sheet, MP 12 V")
FEED_FREE_A: Final = Quantity(0.10, "A", "Pololu 25D, MP 12 V: about")
FEED_POWER_W: Final = Quantity(3.5, "W", "Pololu 25D data sheet, MP 12 V: most that it gives")

# -- Turntable -------------------------------------------------------------------------------------------------------

MOTOR_TEETH: Final = Quantity(20, "teeth", "chosen: GT2 pulley on the motor")
TABLE_TEETH: Final = Quantity(60, "teeth", "notes: geared 1:3")
TABLE_BELT: Final = mm(200, "closed GT2 belt, 100 teeth")
MOTOR_STEPS: Final = Quantity(200, "steps", "1.8° a step")
MICROSTEPS: Final = Quantity(8, "", "TMC2209 with MS1 and MS2 low")
NEMA17: Final = mm(42.3, "NEMA 17")
NEMA17_HOLES: Final = mm(31, "NEMA 17: M3")
NEMA17_BOSS: Final = mm(22, "NEMA 17")
NEMA17_LENGTH: Final = mm(39, "17HS15-1504S")
NEMA17_SHAFT: Final = mm(24, "17HS15-1504S: 5 thick")
MOTOR_HOLDING_NM: Final = Quantity(0.40, "N·m", "notes; the data sheet says 0.45 at 1.5 A, it is run at less")
MOTOR_PHASE_A: Final = Quantity(1.0, "A", "chosen: root mean square, set at the driver")
DRIVER_SENSE_OHM: Final = Quantity(0.11, "Ω", "TMC2209 V1.3 of BIGTREETECH, from memory; read it off the board: R110")
DRIVER_SENSE_INSIDE: Final = Quantity(0.02, "Ω", "TMC2209 data sheet, Rev. 1.09, 9: of the chip itself")
DRIVER_FULL_V: Final = Quantity(0.325, "V", "TMC2209 data sheet, Rev. 1.09, 9: full scale over both at VREF 2.5 V")
DRIVER_VREF: Final = Quantity(2.5, "V", "TMC2209 data sheet, Rev. 1.09, 9: VREF for full scale")
MOTOR_OHM: Final = Quantity(2.3, "Ω", "17HS15-1504S: about, each phase")
TOP_PLATE_RADIUS: Final = mm(90, "notes: radius of the turntable")
TOP_PLATE: Final = mm(5, "chosen")
AXIS_X: Final = mm(-75, "chosen: the middle of the shoe stands over the axis")
BASE_RADIUS: Final = mm(100, "chosen: room for motor and boards; fits the printer")
BASE_HEIGHT: Final = mm(50, "chosen: motor, deck and feet")
BASE_WALL: Final = mm(3, "chosen")
DECK: Final = mm(5, "chosen")
BEARING_6806: Final = mm(42, "6806-2RS: 30 x 42 x 7")
BEARING_6806_BORE: Final = mm(30, "6806-2RS")
BEARING_6806_WIDTH: Final = mm(7, "6806-2RS")
BEARING_APART: Final = mm(8, "chosen: two bearings with a spacer keep the plate from tilting")
CABLE_HOLE: Final = mm(18, "chosen: ten wires and a plug through the axis")
TOP_GAP: Final = mm(20.5, "chosen: between deck and plate, for the motor's shaft and pulley")
HALL_RADIUS: Final = mm(70, "chosen")
MARKS: Final = Quantity(24, "magnets", "chosen: of ten seats none lies between two edges unseen")
MARKS_RADIUS: Final = mm(50, "chosen: of the ring of marks, 20 mm inside the magnet of the home place")
MARKS_POST: Final = Quantity(225, "°", "chosen: where the second hall post stands on the deck, away from belt and stop")
HALL_GAP: Final = mm(4, "chosen: from the magnet to the marked side of the hall switch")
HALL_DEEP: Final = mm(1.5, "DRV5023 in TO-92: from its marked side to what senses, at most about")
HALL_MT: Final = Quantity(7, "mT", "DRV5023 data sheet: field at which it switches")
MAGNET_T: Final = Quantity(1.28, "T", "tables of its makers: remanence of N42, at least")
MAGNET: Final = mm(6, "disc magnet 6 x 3, N42")
MAGNET_HEIGHT: Final = mm(3, "disc magnet 6 x 3, N42")
STOP_RADIUS: Final = mm(83, "chosen: where the peg under the plate meets the lever on the deck")
STOP_LEVER: Final = mm(28, "chosen: length of the lever")
STOP_PEG: Final = mm(6, "chosen: of the peg")
STOP_WIDTH: Final = mm(7, "chosen: of the lever")
STOP_PIVOT: Final = mm(58, "chosen: axis of the lever")
CABLE: Final = mm(5, "LiYY 4 x 0.14: about 4")
CABLE_WAY_WIDTH: Final = mm(24, "chosen: four cables beside each other")
CABLE_WAY_HEIGHT: Final = mm(8, "chosen: one cable and its tie")
SEAT_SOCKET: Final = mm(12.2, "GX12: thread M12, with play")
SEAT_SOCKET_NUT: Final = mm(16, "GX12: nut and flange, about; to be checked on the part")
SEAT_SOCKET_INSIDE: Final = mm(12, "GX12: behind the wall with its wires, about; to be checked on the part")
SUPPLY_SOCKET: Final = mm(12.2, "chosen: socket 5.5 x 2.1 with a nut; to be checked on the part")
MOTOR_SWITCH: Final = mm(6.5, "E-Switch 100: bushing 1/4-40, with play")
MOTOR_SWITCH_INSIDE: Final = mm(16, "E-Switch 100: body and legs behind the wall, about; to be checked on the part")
MOTOR_SWITCH_NUT: Final = mm(9.2, "E-Switch 100: nut over its corners, about; to be checked on the part")
MOTOR_SWITCH_BODY: Final = mm(14.5, "E-Switch 100: 12.7 x 6.9, over its corners")
BUTTON_HOLE: Final = mm(5, "chosen: a pencil reaches the service and the RUN button through the lid")
VENT: Final = mm(3, "chosen: width of a slot in the wall, across which a printer bridges")
STOP_SWING: Final = Quantity(48, "°", "chosen: so that the table turns a little more than half round each way")
TABLE_RPM: Final = Quantity(80, "1/min", "firmware: pico.turntable.TOP_SPEED")
TABLE_ACCELERATION: Final = Quantity(40, "rad/s²", "firmware: pico.turntable.ACCELERATION")
INERTIA: Final = Quantity(4e-3, "kg·m²", "notes: 1.0 kg, radius 90 mm; compared with the shapes by `make hardware`")

# -- Camera arm ------------------------------------------------------------------------------------------------------

PROFILE: Final = mm(20, "aluminum profile 20 x 20, slot 5")
ARM_HEIGHT: Final = mm(800, "chosen: the camera above the table")
ARM_REACH: Final = mm(500, "chosen: from the table's edge to over the discard pile")
TABLE_THICKEST: Final = mm(40, "chosen: what the clamp goes around")
CAMERA_HOLES_X: Final = mm(21, "Camera Module 3")
CAMERA_HOLES_Y: Final = mm(12.5, "Camera Module 3")
CAMERA_WIDTH: Final = mm(25, "Camera Module 3")
CAMERA_HEIGHT: Final = mm(24, "Camera Module 3")
CAMERA_VIEW_X: Final = Quantity(66, "°", "Camera Module 3, across")
CAMERA_VIEW_Y: Final = Quantity(41, "°", "Camera Module 3, upright")

# -- Panel, buttons, ring --------------------------------------------------------------------------------------------

KEY_HOLE: Final = mm(24, "push buttons of 24, as OBSF-24")
KEY_DEPTH: Final = mm(30, "push buttons of 24, with their contacts")
KEY_PITCH: Final = mm(40, "chosen: one thumb, one key")
PANEL_HEIGHT: Final = mm(42, "chosen")
WALL: Final = mm(2.4, "chosen: six widths of a 0.4 nozzle")
ENGRAVED: Final = mm(0.8, "chosen: signs are sunk and painted, so that they can be felt")
SENSE_UPPER_OHM: Final = Quantity(47_000, "Ω", "chosen: from the motors' supply to the Pico's converter")
SENSE_LOWER_OHM: Final = Quantity(10_000, "Ω", "chosen: from there to ground")
LOGIC_V: Final = Quantity(3.3, "V", "Pico: its logic and the reference of its converter")
SENSE_LEAST_V: Final = Quantity(9.0, "V", "chosen: least supply of the motors; their drivers work down to 4.75 V")
SEAT_OHM: Final = Quantity(1_000, "Ω", "chosen: in series with a seat's cable")
PULLED_OHM: Final = Quantity(330, "Ω", "chosen: the same at GPIO 2 and 3 of the Pi, which have 1.8 k to 3.3 V")
SEAT_NF: Final = Quantity(10, "nF", "chosen: behind it, to ground")
SEAT_BEARS: Final = Quantity(5.8, "V", "P6KE6V8A data sheet: does not conduct up to here")
KIT_SEAT_BEARS: Final = Quantity(5.0, "V", "SMF5.0A data sheet: does not conduct up to here")
SEAT_LOW: Final = Quantity(0.8, "V", "RP2040 data sheet: an input is low from here down")
SEAT_BOX: Final = mm(60, "chosen: does not tip over when pressed at its edge")
RING_OUTSIDE: Final = mm(65.6, "ring of 24 WS2812")
RING_INSIDE: Final = mm(52.3, "ring of 24 WS2812")
RING_HEIGHT: Final = mm(3.6, "ring of 24 WS2812")

# -- Printer ---------------------------------------------------------------------------------------------------------

PRINTER_X: Final = mm(220, "common printers")
PRINTER_Y: Final = mm(220, "common printers")
PRINTER_Z: Final = mm(250, "common printers")
PRINT_LAYER: Final = mm(0.2, "chosen: height of a layer")
PRINT_FLOW: Final = Quantity(6, "mm³/s", "assumed: PETG through a 0.4 nozzle, ways without plastic included")
PRINT_CHANGE: Final = Quantity(5, "s", "assumed: for each layer beside its plastic")
LEAST_WALL: Final = mm(1.2, "three widths of a 0.4 nozzle")
BRIDGE: Final = mm(22, "chosen: printed in the air between two walls without supports")
PLASTIC: Final = Quantity(1.27e-3, "g/mm³", "PETG")
STEEL: Final = Quantity(7.8e-3, "g/mm³", "steel")
PACKED: Final = Quantity(0.6, "", "balls, poured in")
FILLED: Final = Quantity(0.6, "", "four walls and 25 % inside: about")


def named() -> dict[str, Quantity]:
    """Return all parameters by name, in the order of this file."""
    return {name: value for name, value in globals().items() if isinstance(value, Quantity)}


def main() -> None:
    """Print all parameters as a table."""
    for name, value in named().items():
        print(f"{name:<22} {float(value):>10.6g} {value.unit:<8} {value.source}")


if __name__ == "__main__":
    run(main)
