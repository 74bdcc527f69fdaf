"""Who sees and hears what happens at the table: the page, the voice, the house, other programs."""

from __future__ import annotations

from typing import Annotated, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator

from croupier.config.game_sections import Language
from croupier.config.options import File, NotSo, Section, one_of, option
from croupier.i18n import _, marked
from croupier.observers.voice.settings import Program, hours
from croupier.referee.rulings import Ruling

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


def _hours(text: str) -> str:
    try:
        hours(text)
    except ValueError as err:
        wrong = _("{said}: these are no hours: expected from when to when, as 22:00-07:00", said=repr(text))
        raise NotSo(wrong) from err
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
