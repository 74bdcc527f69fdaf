"""The sections of `croupier.toml`; `make docs` writes docs/configuration.md and docs/croupier.toml from them."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, ConfigDict

from croupier.commands import Key
from croupier.config.options import File, InvalidValue, Section, option
from croupier.errors import BadName, PluginUnavailable
from croupier.files import JOURNAL
from croupier.i18n import _, localize, marked
from croupier.names import player_names
from croupier.plugins import OWN_CAMERAS, camera_kind
from croupier_rules.referee.header import LEAST_SEATS, MOST_SEATS
from croupier_rules.rules.ruleset import names, presets


def out_of(value: object, expected: str) -> InvalidValue:
    """The error for a value out of a range."""
    return InvalidValue(_("{value}: expected {expected}", value=value, expected=expected))


Language = Literal["en", "fr", "de", "nl", "sv", "it", "es", "pt", "el", "hu", "pl"]


def _names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names as they are kept. Raises `InvalidValue` with the reason."""
    try:
        return player_names(names)
    except BadName as err:
        raise InvalidValue(*localize(err)) from err


class Table(Section):
    """The table itself."""

    name: Annotated[str, AfterValidator(lambda name: _names((name,))[0])] = option(
        "Croupier", "Name of the table, for page, network and voice."
    )
    language: Language | None = option(
        None, "Usual language of page, terminal and voice. Default: the system's.", example="en"
    )


class Rules(Section):
    """The rule sheet and the table's own rules. Any rule that `croupier rules show SHEET` lists may be set here, with
    its id in quotes: `"draw.voluntary" = "warn"`, `"stack.draw2" = "draw2"`."""

    model_config = ConfigDict(extra="allow", frozen=True)

    base: str = option(
        ...,
        "The rule sheet.",
        expected=marked("a ruleset listed by `croupier rules`"),
        example="g7942-en",
        choices=names(),
    )
    house: str | None = option(
        None,
        "House rules that people know under one name; the choices beside it go before.",
        expected=marked("house rules listed by `croupier rules presets`"),
        example="party",
        choices=tuple(presets()),
    )


class Seats(Section):
    """The seats, numbered clockwise from 0."""

    names: Annotated[tuple[str, ...], AfterValidator(_names)] = option(
        (),
        "Names of the players, clockwise from seat 1. Without names, seats have numbers.",
        expected=marked("a list of two to ten names"),
        example=["Ann", "Ben", "Cat", "Dan"],
        max_length=MOST_SEATS,
    )
    number: int | None = option(None, "Number of seats without names.", example=4, ge=LEAST_SEATS, le=MOST_SEATS)
    dealer: int | None = option(None, "First dealer. Default: chosen at the table.", example=0, ge=0, le=MOST_SEATS - 1)
    teams: tuple[tuple[int, int], ...] = option(
        (), "Seats of partners.", expected=marked("a list of teams of two seats"), example=[[0, 2], [1, 3]]
    )


class Blank(Section):
    """The text on the blank wilds of the Greek deck."""

    text: str = option("", "The text on the card, in your words.", example="Next player draws three and misses a turn.")
    draw: int = option(0, "Number of cards that the next seat draws.", ge=0, le=20)
    skip: bool = option(False, "The next seat misses its turn.")
    again: bool = option(False, "The player of the card plays again.")


class Game(Section):
    """Choices before play."""

    target: int | None = option(None, "Target score. Default: as on the sheet.", example=500, ge=1)
    scoring: Literal["winner", "lowest"] = option(
        "winner", "Who gets points: the winner those of the others, or everybody their own, and the lowest wins."
    )
    limit: int | None = option(None, "Points that eliminate a player.", example=500, ge=1)
    deal: Literal["next", "winner", "same"] = option("next", "Dealer of the next round.")
    own_penalties: int | bool = option(
        False,
        "House rules: number of cards that the last player draws; true: each rule says its own.",
        expected=marked("a whole number, true or false"),
    )
    blank: Blank | None = option(
        None, "Text on the blank wilds.", expected=marked("a section [game.blank]"), example={"text": "Draw three"}
    )


class JournalFile(Section):
    """The file of games."""

    file: File = option(str(JOURNAL), "File of the journal.", validate_default=True)


_ZONE: Final = marked("a list [left, top, width, height] in pixels of the picture")
_LEAST: Final = {"left": 0, "top": 0, "width": 1, "height": 1}


def _zone(zone: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    for (name, least), value in zip(_LEAST.items(), zone, strict=True):
        if value < least:
            raise out_of(f"{name} {value}", _("a whole number, {least} or more", least=least))
    return zone


Zone = Annotated[tuple[int, int, int, int], AfterValidator(_zone)]


SOURCE: Final = marked(
    "usb:NUMBER, usb:PATH, pi, pi:NUMBER, phone, phone:PORT, http://HOST:PORT/PATH, rtsp://HOST/PATH, none, or the "
    "name of a video or a folder"
)
"""Forms of the source of a camera."""


def is_device(source: str) -> bool:
    """True if a source is a camera, an address or ``none``, and not the name of a file."""
    return "://" in source or source.partition(":")[0] in OWN_CAMERAS or camera_kind(source) is not None


def _source(source: str) -> str:
    """Check an address in the network. A mistake in it is reported without the address, which may have a password."""
    if "://" in source:
        try:
            place = urlsplit(source)
            is_camera = place.scheme in ("http", "https", "rtsp") and place.hostname and place.port != 0
        except ValueError:
            is_camera = False
        if not is_camera:
            raise InvalidValue(_("not the address of a camera: expected {expected}", expected=_(SOURCE)))
    try:
        if (kind := camera_kind(source)) is not None:
            kind.check(source)
    except PluginUnavailable as err:
        raise InvalidValue(localize(err)[0]) from err
    return source


class Camera(Section):
    """The camera above the table."""

    source: Annotated[str, AfterValidator(_source)] = option(
        "usb:0",
        "Camera: path, name or number on USB, pi for the Raspberry Pi's own connector, phone for the browser of one, "
        "the address of a phone's camera app (MJPEG) or of a network camera (RTSP); or pictures, for tests.",
        expected=SOURCE,
        min_length=1,
    )
    size: str = option(
        "1920x1080",
        "Picture size.",
        expected=marked("width x height in pixels"),
        pattern=r"^[1-9]\d{2,3}x[1-9]\d{2,3}$",
    )
    fps: float = option(30.0, "Frames per second.", ge=1, le=120)
    focus: int | None = option(
        None,
        "USB: fixed focus, from far to near. Default: autofocus, which hunts near hands.",
        example=30,
        ge=0,
        le=255,
    )
    distance_m: float | None = option(
        None, "Pi camera: fixed focus at this distance from lens to table in meters.", example=0.7, ge=0.05, le=5
    )
    exposure_ms: float | None = option(
        None, "Fixed exposure in milliseconds. Default: automatic.", example=8.0, ge=0.1, le=200
    )
    calibration: File | None = option(
        None, "Calibration by `croupier calibrate`: plane, pile, open hands, seats.", example="table.toml"
    )
    certificate: File = option(
        "phone-camera.pem", "Phone's browser: certificate of its page, which is made by itself.", validate_default=True
    )
    pile: Zone | None = option(
        None, "Without calibration: place of the discard pile.", expected=_ZONE, example=[860, 440, 200, 200]
    )
    show: Zone | None = option(
        None, "Without calibration: place of open hands.", expected=_ZONE, example=[200, 700, 1500, 350]
    )
    card_px: int | None = option(None, "Without calibration: length of a card in pixels.", example=120, ge=20, le=2000)

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height of a picture (px)."""
        width, _, height = self.size.partition("x")
        return int(width), int(height)


class Deck(Section):
    """The cards."""

    profile: File | None = option(None, "Deck profile by `croupier enroll`, for your own edition.", example="ours.deck")
    file: File | None = option(
        None, "Deck file of your own edition, for read, tally, audit and enroll.", example="my-deck.toml"
    )
    corrections: File | None = option(
        None, "File in which the cards are kept that people correct, for the reader to learn.", example="corrected.deck"
    )


def _gpio(value: Any) -> Any:
    found = re.fullmatch(r"(?:GPIO|BCM)\s*(\d+)", value, re.IGNORECASE) if isinstance(value, str) else None
    return int(found[1]) if found else value


Pin = Annotated[int, BeforeValidator(_gpio)]
"""A GPIO (BCM) number of the Raspberry Pi; ``"GPIO17"`` is 17."""

_PIN: Final = marked('the GPIO (BCM) number of a pin, as 17 or "GPIO17"')


def _pin(meaning: str, example: int) -> Any:
    return option(None, meaning, expected=_PIN, example=example)


def _angle(value: float) -> float:
    """As the turntable counts: from -180 to 180."""
    if not -360 <= value <= 360:
        raise out_of(value, _("a number, {least} to {most}", least=-360, most=360))
    return value if -180 <= value <= 180 else (value + 180) % 360 - 180


class Shoe(Section):
    """The card dispenser. Without a shoe people deal."""

    kind: Literal["pico", "pi", "none"] = option(
        "none", "Connection: the Pico, with turntable; the Pi's own pins, without; none."
    )
    angles: tuple[Annotated[float, AfterValidator(_angle)], ...] = option(
        (),
        "Pico: direction of each seat in degrees from the turntable's magnet, clockwise from above; 270 is -90. "
        "Default: evenly spaced.",
        expected=marked("a list with a number for each seat"),
        example=[180, -90, 0, 90],
    )
    speed: int = option(1200, "Speed of a card at the exit in mm/s; slower cards stay in the exit.", ge=700, le=1430)
    turn_speed: int = option(80, "Pico: speed of the turntable in rpm.", ge=5, le=200)
    turn_acceleration: int = option(40, "Pico: acceleration of the turntable in rad/s².", ge=1, le=200)
    exit_camera: Annotated[str, AfterValidator(_source)] | None = option(
        None,
        "Camera at the card exit, which reads each card as it is dealt: number or path on USB. Default: none.",
        expected=SOURCE,
        example="usb:1",
        min_length=1,
    )
    forward: Pin | None = _pin("Pi: IN1 of the feed motor's driver.", 17)
    back: Pin | None = _pin("Pi: IN2 of the feed motor's driver.", 18)
    exit: Pin | None = _pin("Pi: light barrier at the card exit.", 19)
    hopper: Pin | None = _pin("Pi: sensor of the hopper, where there is one.", 20)
    memory: str = option("", "Pi: file that keeps the last job over a restart.", example="/run/croupier/shoe")


class Pico(Section):
    """The Raspberry Pi Pico on USB, for shoe, buttons or ring of kind `pico`."""

    port: str = option(
        "auto",
        "Port: auto (the Pico on USB), usb:SERIAL (Pico with that serial number), or a path such as /dev/ttyACM0.",
        expected=marked("auto, usb:SERIAL or the path of a port"),
        min_length=1,
    )


class Buttons(Section):
    """The UNO buttons of the seats."""

    kind: Literal["pico", "pi", "none"] = option("none", "Connection: the Pico, the Pi's own pins, or none.")
    pins: tuple[Pin, ...] = option(
        (),
        "Pi: pin of each seat's button, seat 1 first.",
        expected=marked("a list of GPIO (BCM) numbers, one for each seat"),
        example=[21, 22, 23, 24],
        max_length=MOST_SEATS,
    )


class SeatKey(Section):
    """A key that stands at one seat."""

    key: Key = option(..., "The key.", example="draw")
    seat: int = option(..., "Its seat.", example=0, ge=0, le=MOST_SEATS - 1)
    pin: Pin = option(..., "Its pin.", expected=_PIN, example=26)


class Panel(Section):
    """Keys at the Pi's own pins, for the people whom the table asks. Keys that are not wired are on the page."""

    red: Pin | None = _pin("Color key.", 2)
    yellow: Pin | None = _pin("Color key.", 3)
    green: Pin | None = _pin("Color key.", 4)
    blue: Pin | None = _pin("Color key.", 5)
    accept: Pin | None = _pin("Accepts the Wild Draw Four.", 6)
    challenge: Pin | None = _pin("Challenges the Wild Draw Four.", 12)
    go: Pin | None = _pin("Referee's key: the cards are in, or the fault is cleared; play on.", 13)
    pause: Pin | None = _pin("Referee's key: pause until go.", 16)
    undo: Pin | None = _pin("Referee's key: take back the last report.", 27)
    seat_keys: tuple[SeatKey, ...] = option(
        (),
        "Keys of single seats.",
        expected=marked("a list of tables, each with key, seat and pin"),
        example=[{"key": "draw", "seat": 0, "pin": 26}],
    )


class Ring(Section):
    """The ring of lights: turn, direction, color."""

    kind: Literal["pico", "pi", "none"] = option("none", "Connection: the Pico, the Pi's SPI (GPIO 10), or none.")
    lights: int = option(24, "Number of lights.", ge=1, le=60)


class Gpio(Section):
    """The driver of the Pi's own pins."""

    factory: Literal["lgpio", "rpigpio"] = option(
        "lgpio", "Library; rpigpio is RPi.GPIO or rpi-lgpio. Only lgpio gives the exact time of a press."
    )


class Page(Section):
    """The page in the browser."""

    on: bool = option(True, "Serve the page.")
    address: str = option(
        "127.0.0.1",
        "Address to listen on: 127.0.0.1 for this machine only, 0.0.0.0 for your network.",
        expected=marked("an address of this machine, or 0.0.0.0"),
        pattern=r"^[0-9A-Za-z.:%_-]+$",
    )
    port: int | None = option(None, "Port. Default: the first free one from 8300.", example=8300, ge=1, le=65535)
    name: str | None = option(
        None,
        "Name in the network (multicast DNS): croupier becomes croupier.local. Default: not announced.",
        expected=marked("letters, digits and hyphens"),
        example="croupier",
        pattern=r"^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$",
    )
    theme: Literal["auto", "light", "dark"] = option("auto", "Colors. auto: as each device has them.")
    no_call: Literal["never", "after", "at-once"] = option(
        "after",
        "When all screens show that UNO was not called. after: when it is too late to catch. at-once: so that nobody "
        "has to notice it.",
    )
