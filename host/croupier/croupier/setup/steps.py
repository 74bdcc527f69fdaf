"""The steps of `croupier setup`, in the order in which a table is built: questions and checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from croupier.config.model import option_at
from croupier.config.options import Option
from croupier.errors import one_line
from croupier.i18n import _, language, marked
from croupier.link.seen import AUTO
from croupier.setup.parts import Parts, switches
from croupier_rules.rules import load, names
from croupier_rules.rules.ruleset import presets

Path = tuple[str, ...]
"""The path of an option, such as ``("camera", "source")``."""

CameraAction = Literal["calibrate", "read"]

Offers = Mapping[str, str]
"""The answers to choose from, by value: what each means."""


def _nothing(_parts: Parts) -> Offers:
    return {}


def _cameras(parts: Parts) -> Offers:
    found = {
        one.source: ", ".join(filter(None, (one.number or one.source, one_line(one.name), one.size_text)))
        for one in parts.cameras
    }
    return {**found, "none": _("no camera: people enter the cards that they lay")}


def _devices(parts: Parts) -> Offers:
    offers = {"pico": _("a Pico on USB"), "pi": _("the pins of this Raspberry Pi")}
    return {kind: offers[kind] for kind in parts.devices} | {"none": _("nothing: the table has none")}


def _boards(parts: Parts) -> Offers:
    return {board.source: str(board) for board in parts.boards} | {AUTO: _("the Pico on USB, whichever it is")}


def _sheets(_parts: Parts) -> Offers:
    """The rule sheets, those in the reader's language first, and of them the printed ones."""
    sheets = sorted(map(load, names()), key=lambda sheet: (sheet.language != language(), sheet.own_words, sheet.name))
    return {sheet.name: sheet.title for sheet in sheets}


def _house_rules(_parts: Parts) -> Offers:
    return {"": _("none")} | {name: f"{_(one.title)}: {_(one.about)}" for name, one in presets().items()}


def _switch(path: Path, parts: Parts) -> Offers:
    return ({"true": _("yes")} if path in parts.switches else {}) | {"false": _("no")}


def _reach(_parts: Parts) -> Offers:
    return {
        "0.0.0.0": _("phones and other screens in your network"),
        "127.0.0.1": _("only this machine, which then needs a screen"),
    }


@dataclass(frozen=True, slots=True)
class Question:
    """A question for the option at ``path``.

    ``only``: path and values of another option that the question depends on. ``is_detail``: asked only where the step
    is gone through by name. ``offers``: makes the answers to choose from; empty for an answer that is typed freely.
    ``is_open``: other answers than the offers are possible, too. ``for_pins``: only where this machine has pins.
    ``for_boards``: asked only where there are several Picos, and the file names none of them.
    """

    path: Path
    text: str
    only: tuple[Path, tuple[str, ...]] | None = None
    is_detail: bool = False
    offers: Callable[[Parts], Offers] = _nothing
    is_open: bool = False
    for_pins: bool = False
    for_boards: bool = False

    @property
    def option(self) -> Option:
        """The option that the question asks for."""
        found = option_at(self.path)
        assert found is not None
        return found


@dataclass(frozen=True, slots=True)
class Step:
    """A step. ``checks``: ids of checks of `croupier doctor`. ``action``: what the camera does, where there is one.

    ``is_detail``: gone through only by name.
    """

    name: str
    title: str
    about: str
    questions: tuple[Question, ...]
    checks: tuple[str, ...]
    action: CameraAction | None = None
    is_detail: bool = False

    @property
    def has_picture(self) -> bool:
        """True if the page shows the camera's picture at this step."""
        return self.action is not None or "camera.opens" in self.checks


def _pin(section: str, name: str, text: str) -> Question:
    """Ask for a pin of a part at the Pi's pins."""
    return Question((section, name), text, ((section, "kind"), ("pi",)))


def _key(name: str, text: str) -> Question:
    return Question(("panel", name), text, is_detail=True, for_pins=True)


def _board(section: str) -> Question:
    """Ask for the Pico of a part."""
    return Question(
        ("pico", "port"), marked("Which port is the Pico connected to?"), ((section, "kind"), ("pico",)),
        offers=_boards, is_open=True, for_boards=True,
    )  # fmt: skip


_AT_PICO: Final = (("shoe", "kind"), ("pico",))

STEPS: Final[dict[str, Step]] = {
    step.name: step
    for step in (
        Step(
            "camera",
            marked("Camera"),
            marked("It looks down on the table and sees the discard pile and the hands that are laid open."),
            (
                Question(("camera", "source"), marked("Which camera?"), offers=_cameras, is_open=True),
                Question(("camera", "size"), marked("What size are its pictures?"), is_detail=True),
                Question(("camera", "fps"), marked("How many pictures per second?"), is_detail=True),
            ),
            ("camera.opens", "camera.rate", "camera.light", "camera.sharp"),
        ),
        Step(
            "table",
            marked("Table"),
            marked(
                "Lay the printed sheet where the discard pile will be, or spread three cards with one of them there."
            ),
            (Question(("camera", "calibration"), marked("Which file holds the calibration?"), is_detail=True),),
            ("table.calibrated",),
            "calibrate",
        ),
        Step(
            "deck",
            marked("Deck"),
            marked(
                "Lay some cards under the camera and check that it reads them. If it does not know your "
                "edition, teach it with croupier enroll."
            ),
            (Question(("deck", "profile"), marked("Which file holds the profile of your own deck?")),),
            ("deck.learned",),
            "read",
            is_detail=True,
        ),
        Step(
            "seats",
            marked("Seats and players"),
            marked(
                "Seats are numbered clockwise. Each may have an UNO button; keys that are not wired are on the page. "
                "While this step is checked, press the button of each seat once."
            ),
            (
                Question(("seats", "names"), marked("Who plays?")),
                Question(("seats", "dealer"), marked("Which seat deals first?"), is_detail=True),
                Question(("buttons", "kind"), marked("What are the UNO buttons connected to?"), offers=_devices),
                _board("buttons"),
                _pin("buttons", "pins", marked("Which pins are the UNO buttons connected to?")),
                _key("go", marked("Which pin is the referee's go key connected to?")),
                _key("accept", marked("Which pin is the accept key connected to?")),
                _key("challenge", marked("Which pin is the challenge key connected to?")),
            ),
            ("pins.free", "panel.keys", "buttons.each"),
        ),
        Step(
            "shoe",
            marked("Shoe"),
            marked("The machine that deals the cards. Without one, people deal."),
            (
                Question(("shoe", "kind"), marked("What is the shoe connected to?"), offers=_devices),
                _board("shoe"),
                Question(
                    ("shoe", "angles"), marked("At what angle is each seat, in degrees?"), _AT_PICO, is_detail=True
                ),
                _pin("shoe", "forward", marked("Which pin runs the motor forward?")),
                _pin("shoe", "back", marked("Which pin runs the motor backward?")),
                _pin("shoe", "exit", marked("Which pin is the light barrier connected to?")),
                _pin("shoe", "hopper", marked("Which pin is the hopper's sensor connected to?")),
            ),
            ("pico.found", "pico.firmware", "pico.clock", "shoe.sensors", "shoe.homes", "shoe.marks", "pins.free"),
        ),
        Step(
            "ring",
            marked("LED ring"),
            marked("It shows whose turn it is, the direction of play, and the color."),
            (
                Question(("ring", "kind"), marked("What is the ring connected to?"), offers=_devices),
                _board("ring"),
                Question(
                    ("ring", "lights"), marked("How many lights does it have?"), (("ring", "kind"), ("pico", "pi"))
                ),
            ),
            ("ring.lights",),
        ),
        Step(
            "ruleset",
            marked("Rules"),
            marked("The rule sheet from your box, and how the table speaks."),
            (
                Question(("rules", "base"), marked("Which rule sheet do you play by?"), offers=_sheets),
                Question(
                    ("rules", "house"), marked("Which house rules do you play?"), is_detail=True, offers=_house_rules
                ),
                Question(("game", "target"), marked("How many points end the game?"), is_detail=True),
                Question(("table", "name"), marked("What is the table called?"), is_detail=True),
                Question(("table", "language"), marked("Which language should it speak?"), is_detail=True),
                *(
                    Question(path, one.question, offers=partial(_switch, path))
                    for section, one in switches()
                    for path in [(section, one.option)]
                ),
                Question(("page", "address"), marked("Who can open its page?"), offers=_reach),
            ),
            (
                "config.valid",
                *(check for _section, one in switches() for check in one.checks),
                "journal.writes",
                "page.port",
                "page.reach",
            ),
        ),
    )
}
"""By name."""
