"""What the table is made of: camera, deck, and what hangs on the Pico and on the Pi."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BeforeValidator

from croupier.commands import Key
from croupier.config.options import File, NotSo, Section, option
from croupier.i18n import _, marked
from croupier.referee.header import MOST_SEATS

_ZONE: Final = marked("a list [left, top, width, height] in pixels of the picture")
_LEAST: Final = {"left": 0, "top": 0, "width": 1, "height": 1}
_SIZE: Final = re.compile(r"[1-9]\d{2,3}x[1-9]\d{2,3}")


def _size(text: str) -> str:
    if not _SIZE.fullmatch(text):
        raise ValueError(f'"{text}"')
    return text


def _zone(value: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    for (name, least), said in zip(_LEAST.items(), value, strict=True):
        if said < least:
            expected = _("a whole number, {least} or more", least=least)
            raise NotSo(_("{said}: expected {expected}", said=f"{name} {said}", expected=expected))
    return value


Zone = Annotated[tuple[int, int, int, int], AfterValidator(_zone)]


class Camera(Section):
    """The camera above the table."""

    source: str = option(
        "usb:0",
        "Which camera: usb:0 (the first on USB), usb:/dev/v4l/by-id/… (that one and no other), pi or pi:1 (the "
        "Raspberry Pi's own connector), none; or a video or a folder of pictures, for trying.",
        expected=marked("usb:NUMBER, usb:PATH, pi, pi:NUMBER, none, or the name of a video or a folder"),
        min_length=1,
    )
    size: Annotated[str, AfterValidator(_size)] = option(
        "1920x1080", "Size of its pictures.", expected=marked("width x height in pixels")
    )
    fps: float = option(30.0, "Pictures in a second.", ge=1, le=120)
    focus: int | None = option(
        None,
        "USB camera: its focus, from far to near as it counts. Without it the camera hunts whenever a hand comes near.",
        example=30,
        ge=0,
        le=255,
    )
    distance_m: float | None = option(
        None,
        "Pi camera: from the lens to the table, in meters; a lens that can focus stays there.",
        example=0.7,
        ge=0.05,
        le=5,
    )
    exposure_ms: float | None = option(
        None,
        "Exposure, fixed, so that lamps do not change it. Without it the camera chooses.",
        example=8.0,
        ge=0.1,
        le=200,
    )
    calibration: File | None = option(
        None, "What `croupier calibrate` found: plane, pile, open hands, seats.", example="table.toml"
    )
    pile: Zone | None = option(
        None, "Without a calibration: where the discard pile lies.", expected=_ZONE, example=[860, 440, 200, 200]
    )
    show: Zone | None = option(
        None, "Without a calibration: where hands are laid open.", expected=_ZONE, example=[200, 700, 1500, 350]
    )
    card_px: int | None = option(
        None, "Without a calibration: how long a card is in the picture, in pixels.", example=120, ge=20, le=2000
    )


class Deck(Section):
    """The cards."""

    profile: File | None = option(None, "Your own edition, as `croupier enroll` learned it.", example="ours.deck")


def _gpio(value: Any) -> Any:
    """``17``, ``"GPIO17"``: the same pin."""
    found = re.fullmatch(r"(?:GPIO|BCM)\s*(\d+)", value, re.IGNORECASE) if isinstance(value, str) else None
    return int(found[1]) if found else value


Pin = Annotated[int, BeforeValidator(_gpio)]
"""A GPIO (BCM) number of the Raspberry Pi."""

_PIN: Final = marked('the GPIO (BCM) number of a pin, as 17 or "GPIO17"')


def _pin(meaning: str, example: int) -> Any:
    return option(None, meaning, expected=_PIN, example=example)


def _angle(value: float) -> float:
    """As the turntable counts: from -180 to 180."""
    if not -360 <= value <= 360:
        expected = _("a number, {least} to {most}", least=-360, most=360)
        raise NotSo(_("{said}: expected {expected}", said=value, expected=expected))
    return value if -180 <= value <= 180 else (value + 180) % 360 - 180


class Shoe(Section):
    """What deals. Without a shoe people deal."""

    kind: Literal["pico", "pi", "none"] = option(
        "none", "Where the shoe hangs: at the Pico, with its turntable; at the Pi's own pins, without one; none."
    )
    angles: tuple[Annotated[float, AfterValidator(_angle)], ...] = option(
        (),
        "Pico: where each seat is, in degrees from the turntable's magnet, clockwise from above; 270 is where -90 is. "
        "Without: evenly round the table.",
        expected=marked("a list with a number for each seat"),
        example=[180, -90, 0, 90],
    )
    speed: int = option(
        1200,
        "Speed of a card at the exit, in mm/s. A slower one stays in the exit; the motor gives no more than 1430.",
        ge=700,
        le=1430,
    )
    turn_speed: int = option(80, "Pico: speed of the turntable, in turns a minute.", ge=5, le=200)
    turn_acceleration: int = option(40, "Pico: how hard the turntable starts, in rad/s².", ge=1, le=200)
    forward: Pin | None = _pin("Pi: IN1 of the feed motor's driver.", 17)
    back: Pin | None = _pin("Pi: IN2 of the feed motor's driver.", 18)
    exit: Pin | None = _pin("Pi: light barrier at the card exit.", 19)
    hopper: Pin | None = _pin("Pi: sensor of the hopper, where there is one.", 20)
    memory: str = option(
        "",
        "Pi: a file in memory that keeps the last job while the program is started anew.",
        example="/run/croupier/shoe",
    )


class Pico(Section):
    """The Raspberry Pi Pico, on USB: shoe, buttons or ring hang there if their sections say so."""

    port: str = option(
        "auto",
        "Its port: auto (the first Pico on USB), usb:SERIAL (the Pico with that number), or a path such as "
        "/dev/ttyACM0.",
        expected=marked("auto, usb:SERIAL or the path of a port"),
        min_length=1,
    )


class Buttons(Section):
    """The UNO buttons of the seats."""

    kind: Literal["pico", "pi", "none"] = option("none", "Where they hang: at the Pico, at the Pi's own pins; none.")
    pins: tuple[Pin, ...] = option(
        (),
        "Pi: the pin of each seat's button, seat 0 first.",
        expected=marked("a list of GPIO (BCM) numbers, one for each seat"),
        example=[21, 22, 23, 24],
        max_length=MOST_SEATS,
    )


class SeatKey(Section):
    """A key that stands at one seat."""

    key: Key = option(..., "Which key.", example="draw")
    seat: int = option(..., "Whose it is.", example=0, ge=0, le=MOST_SEATS - 1)
    pin: Pin = option(..., "Where it hangs.", expected=_PIN, example=26)


class Panel(Section):
    """Keys at the Pi's own pins. Each is pressed by whoever the table asks; a key that is not wired is on the page."""

    red: Pin | None = _pin("Color key.", 2)
    yellow: Pin | None = _pin("Color key.", 3)
    green: Pin | None = _pin("Color key.", 4)
    blue: Pin | None = _pin("Color key.", 5)
    accept: Pin | None = _pin("Takes the Wild Draw Four as it is.", 6)
    challenge: Pin | None = _pin("Challenges the Wild Draw Four.", 12)
    go: Pin | None = _pin("The referee's key: the cards are in, or trouble is cleared; play on.", 13)
    pause: Pin | None = _pin("The referee's key: play stands still until go.", 14)
    undo: Pin | None = _pin("The referee's key: what was told last did not happen.", 15)
    seat_keys: tuple[SeatKey, ...] = option(
        (),
        "Keys that stand at one seat.",
        expected=marked("a list of tables, each with key, seat and pin"),
        example=[{"key": "draw", "seat": 0, "pin": 26}],
    )


class Ring(Section):
    """The ring of lights: whose turn, which way, which color."""

    kind: Literal["pico", "pi", "none"] = option(
        "none", "Where it hangs: at the Pico, at the Pi's SPI (GPIO 10); none."
    )
    lights: int = option(24, "How many lights it has. At the Pi's SPI, 60 at most.", ge=1, le=60)


class Gpio(Section):
    """How the Pi's own pins are driven."""

    factory: Literal["lgpio", "rpigpio"] = option(
        "lgpio",
        "With which library; rpigpio is RPi.GPIO or rpi-lgpio, whichever is installed. Only lgpio tells when a key was "
        "pressed.",
    )
