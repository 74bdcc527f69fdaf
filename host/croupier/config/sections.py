"""The sections of `croupier.toml`; `make docs` writes docs/configuration.md and docs/croupier.toml from them."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, ConfigDict

from croupier.commands import Key
from croupier.config.options import File, NotSo, Section, one_of, option
from croupier.i18n import _, marked
from croupier.referee.header import LEAST_SEATS, MOST_SEATS
from croupier.referee.rulings import Ruling
from croupier.rules.ruleset import names

Language = Literal["en", "fr", "de", "nl", "sv", "it", "es", "pt", "el", "hu", "pl"]


class Table(Section):
    """The table itself."""

    name: str = option("Croupier", "What the table is called: on the page, in the network, aloud.", min_length=1)
    language: Language | None = option(
        None,
        "The language of page, terminal and voice, where a person has not chosen another. Without it: that of the "
        "machine.",
        example="en",
    )


class Rules(Section):
    """Which printed sheet is played by, and what this table plays otherwise. Every rule that
    `croupier rules show SHEET` lists may be chosen here, its id in quotes: `"draw.voluntary" = "warn"`."""

    model_config = ConfigDict(extra="allow", frozen=True)

    base: str = option(
        ..., "The sheet.", expected=marked("a ruleset that `croupier rules` lists"), example="g7942-en", choices=names()
    )


def _unlike(names: tuple[str, ...]) -> tuple[str, ...]:
    for name in names:
        if not name.strip():
            raise NotSo(_("a name is empty: expected one that can be read and called"))
        if names.count(name) > 1:
            raise NotSo(_("{name} is there twice: expected names that can be told apart", name=f'"{name}"'))
    return names


class Seats(Section):
    """Who sits where. Seats are numbered from 0, clockwise."""

    names: Annotated[tuple[str, ...], AfterValidator(_unlike)] = option(
        (),
        "Who plays, seat 0 first. Without names the seats are called by their numbers.",
        expected=marked("a list of two to ten names"),
        example=["Ann", "Ben", "Cat", "Dan"],
        max_length=MOST_SEATS,
    )
    number: int | None = option(
        None, "How many seats there are, where no names are given.", example=4, ge=LEAST_SEATS, le=MOST_SEATS
    )
    dealer: int | None = option(
        None,
        "The seat that deals first. Without it, people choose the dealer at the table.",
        example=0,
        ge=0,
        le=MOST_SEATS - 1,
    )
    teams: tuple[tuple[int, int], ...] = option(
        (),
        "Partners, where the sheet has them: the seats of each team.",
        expected=marked("a list of teams of two seats"),
        example=[[0, 2], [1, 3]],
    )


class Blank(Section):
    """What is written on the blank wilds of the Greek deck."""

    text: str = option("", "What the card says, in your words.", example="Next player draws three and misses a turn.")
    draw: int = option(0, "The next seat takes so many cards.", ge=0, le=20)
    skip: bool = option(False, "The next seat misses its turn.")
    again: bool = option(False, "Who laid the card plays again.")


class Game(Section):
    """What the table agrees on before play."""

    target: int | None = option(None, "The points that end the game. Without it: as the sheet says.", example=500, ge=1)
    scoring: Literal["winner", "lowest"] = option(
        "winner", "Who gets the points: the winner of a round those of the others, or everybody their own."
    )
    limit: int | None = option(None, "The points at which a player is out of the game.", example=500, ge=1)
    deal: Literal["next", "winner", "same"] = option("next", "Who deals the next round.")
    own_penalties: int | bool = option(
        False,
        "House rules: how many cards the last to follow one draws; true where each rule says its own.",
        expected=marked("a whole number, true or false"),
    )
    blank: Blank | None = option(
        None,
        "What is written on the blank wilds.",
        expected=marked("a section [game.blank]"),
        example={"text": "Draw three"},
    )


class JournalFile(Section):
    """Where games are kept."""

    file: File = option("croupier.journal", "The journal.", validate_default=True)


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


RULINGS: Final = frozenset(kind.name for kind in Ruling.__subclasses__())


def _ruling(name: str) -> str:
    if name not in RULINGS:
        raise NotSo(_("there is no ruling {name}: {expected}", name=name, expected=one_of(name, sorted(RULINGS))))
    return name


RulingName = Annotated[str, AfterValidator(_ruling)]


class Page(Section):
    """The page in the browser."""

    on: bool = option(True, "Whether there is one.")
    address: str = option(
        "127.0.0.1",
        "Where it listens: 127.0.0.1 for this machine alone, 0.0.0.0 for everybody in your network.",
        expected=marked("an address of this machine, or 0.0.0.0"),
        pattern=r"^[0-9A-Za-z.:%_-]+$",
    )
    port: int | None = option(None, "Its port. Without: the first free one from 8300 on.", example=8300, ge=1, le=65535)
    name: str | None = option(
        None,
        "Its name in the network: croupier is found as croupier.local. Without: none is announced.",
        expected=marked("letters, digits and hyphens"),
        example="croupier",
        pattern=r"^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$",
    )


Program = Literal["auto", "aplay", "paplay", "none"]

_HOURS: Final = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)")


def hours(text: str) -> tuple[int, int] | None:
    """From when to when, in minutes since midnight, of ``22:00-07:00``; None for "".

    Raises:
        ValueError: ``text`` has another form.
    """
    if not text:
        return None
    match = _HOURS.fullmatch(text)
    if match is None:
        raise NotSo(_("{said}: these are no hours: expected from when to when, as 22:00-07:00", said=repr(text)))
    a, b, c, d = map(int, match.groups())
    return 60 * a + b, 60 * c + d


def _hours(text: str) -> str:
    hours(text)
    return text


class Voice(Section):
    """The voice and the sounds of the table. `croupier voice try` lets you hear them."""

    on: bool = option(False, "Whether the table speaks.")
    language: Language | None = option(
        None, "The language it speaks. Without it: that of the table, else that of the sheet.", example="en"
    )
    voice: str = option(
        "",
        "Another voice of espeak-ng for this language. Without it: its usual one.",
        expected=marked("a voice, with + and a variant, as `espeak-ng --voices` and `--voices=variant` list them"),
        example="de+f3",
    )
    speed: int = option(160, "How many words in a minute.", ge=80, le=450)
    volume: int = option(80, "How loud: 0 to 100. The page can change it.", ge=0, le=100)
    speech: bool = option(True, "Whether there are sentences.")
    sounds: bool = option(
        True, "Whether there are sounds: for UNO, a catch, a card that goes back, a challenge, a win."
    )
    turns: bool = option(True, "Whether it also says whose turn it is.")
    quiet: Annotated[str, AfterValidator(_hours)] = option(
        "",
        "Hours in which the table says nothing, by the clock of this machine.",
        expected=marked("from when to when"),
        example="22:00-07:00",
    )
    program: Program = option("auto", "What plays. auto: the first of the others that is installed; none: nothing.")
    device: str = option(
        "",
        "Which loudspeaker. Without it: the usual one of this machine.",
        expected=marked("a device, as `aplay -L` lists them"),
        example="plughw:CARD=Headphones",
    )


def _host(name: str) -> str:
    try:
        is_name = name.encode("idna") != b""
    except UnicodeError:
        is_name = False
    if not is_name:
        raise ValueError(f'"{name}"')
    return name


class Mqtt(Section):
    """Home automation: tells an MQTT broker what happens, so that Home Assistant shows the table as a device."""

    host: Annotated[str, AfterValidator(_host)] | None = option(
        None, "The broker. Without it nobody is told.", expected=marked("a name or an address"),
        example="homeassistant.local", min_length=1,
    )  # fmt: skip
    port: int | None = option(None, "Its port. Without: 1883, or 8883 with tls.", example=1883, ge=1, le=65535)
    user: str | None = option(None, "The name to log in with.", example="croupier")
    password: str | None = option(
        None, "The password to log in with. Keep the file to yourself then: chmod 600 croupier.toml.", example="secret"
    )
    tls: bool = option(False, "Whether the line is encrypted.")
    ca: File | None = option(
        None,
        "The certificate of who signed the broker's, where this machine does not know it, as at a broker of your own.",
        expected=marked("a file in PEM form"),
        example="ca.pem",
    )
    id: str = option(
        "table",
        "What this table is called there; two tables need two names. Keep it: Home Assistant knows the table by it.",
        expected=marked("letters, digits, - and _"),
        pattern=r"^[A-Za-z0-9_-]{1,60}$",
    )
    discovery: str = option(
        "homeassistant",
        "Where Home Assistant looks for devices.",
        expected=marked("a topic without #, + and spaces"),
        pattern=r"^[^#+\s]+$",
    )
    control: bool = option(False, "Whether play can be paused from there. It goes on only from the table or its page.")


def _address(url: str) -> str:
    """The value stands in no message: it may hold a password."""
    try:
        _host(urlsplit(url).hostname or "")
    except ValueError as err:
        raise NotSo(_("{said}: expected {expected}", said="host", expected=_("a name or an address"))) from err
    try:
        port = urlsplit(url).port
    except ValueError:
        port = 0
    if port == 0:
        expected = _("a whole number, {least} to {most}", least=1, most=65535)
        raise NotSo(_("{said}: expected {expected}", said="port", expected=expected))
    return url


class Webhook(Section):
    """An address that is told of every ruling."""

    url: Annotated[str, AfterValidator(_address)] = option(
        ..., "Where it is told.", expected=marked("an address that begins with http:// or https://"),
        example="https://example.org/croupier", pattern=r"^https?://[^\s/?#]+\S*$",
    )  # fmt: skip
    secret: str = option(
        "",
        "Signs what is sent, so that who gets it knows that it is from this table.",
        expected=marked("a long random text, known to both sides"),
        example="gP4wq0Zz7uXk",
    )
    rulings: tuple[RulingName, ...] = option(
        (),
        "Which rulings are told. Without: all.",
        expected=marked("a list of rulings: {rulings}"),
        words={"rulings": ", ".join(sorted(RULINGS))},
        example=["caught", "round_over", "score"],
    )
