"""The steps of `croupier setup`, in the order in which a table is built: questions and checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from croupier.config.model import option_at
from croupier.config.options import Option
from croupier.i18n import marked

Path = tuple[str, ...]
"""The path of an option, such as ``("camera", "source")``."""

CameraAction = Literal["calibrate", "read"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question for the option at ``path``.

    ``only``: path and value of another option that the question depends on.
    """

    path: Path
    text: str
    only: tuple[Path, str] | None = None

    @property
    def option(self) -> Option:
        """The option that the question asks for."""
        found = option_at(self.path)
        assert found is not None
        return found


@dataclass(frozen=True, slots=True)
class Step:
    """A step. ``checks``: ids of checks of `croupier doctor`. ``action``: what the camera does."""

    name: str
    title: str
    about: str
    questions: tuple[Question, ...]
    checks: tuple[str, ...]
    action: CameraAction | None = None


_AT_PICO: Final = (("shoe", "kind"), "pico")
_AT_PI: Final = (("shoe", "kind"), "pi")

STEPS: Final[dict[str, Step]] = {
    step.name: step
    for step in (
        Step(
            "camera",
            marked("Camera"),
            marked("It looks down on the table and sees the discard pile and the hands that are laid open."),
            (
                Question(("camera", "source"), marked("Which camera?")),
                Question(("camera", "size"), marked("What size are its pictures?")),
                Question(("camera", "fps"), marked("How many pictures per second?")),
            ),
            ("camera.opens", "camera.rate", "camera.light", "camera.sharp"),
        ),
        Step(
            "table",
            marked("Table"),
            marked(
                "Print the sheet (croupier calibrate --sheet sheet.pdf) and lay it where the discard pile "
                "will be, or spread out ten cards. Then take a picture."
            ),
            (Question(("camera", "calibration"), marked("Which file holds the calibration?")),),
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
        ),
        Step(
            "seats",
            marked("Seats and players"),
            marked(
                "Seats are numbered clockwise. Each may have an UNO button; keys that are not wired are on the page."
            ),
            (
                Question(("seats", "names"), marked("Who plays?")),
                Question(("seats", "dealer"), marked("Which seat deals first?")),
                Question(("buttons", "kind"), marked("What are the UNO buttons connected to?")),
                Question(
                    ("buttons", "pins"),
                    marked("Which pins are the UNO buttons connected to?"),
                    (("buttons", "kind"), "pi"),
                ),
                Question(("panel", "go"), marked("Which pin is the referee's go key connected to?")),
                Question(("panel", "accept"), marked("Which pin is the accept key connected to?")),
                Question(("panel", "challenge"), marked("Which pin is the challenge key connected to?")),
            ),
            ("pins.free", "panel.keys"),
        ),
        Step(
            "shoe",
            marked("Shoe"),
            marked("The machine that deals the cards. Without one, people deal."),
            (
                Question(("shoe", "kind"), marked("What is the shoe connected to?")),
                Question(("pico", "port"), marked("Which port is the Pico connected to?"), _AT_PICO),
                Question(("shoe", "angles"), marked("At what angle is each seat, in degrees?"), _AT_PICO),
                Question(("shoe", "forward"), marked("Which pin runs the motor forward?"), _AT_PI),
                Question(("shoe", "back"), marked("Which pin runs the motor backward?"), _AT_PI),
                Question(("shoe", "exit"), marked("Which pin is the light barrier connected to?"), _AT_PI),
                Question(("shoe", "hopper"), marked("Which pin is the hopper's sensor connected to?"), _AT_PI),
            ),
            ("pico.found", "pico.firmware", "pico.clock", "shoe.sensors", "shoe.homes", "pins.free"),
        ),
        Step(
            "ring",
            marked("LED ring"),
            marked("It shows whose turn it is, the direction of play, and the color."),
            (
                Question(("ring", "kind"), marked("What is the ring connected to?")),
                Question(("ring", "lights"), marked("How many lights does it have?")),
            ),
            ("ring.lights",),
        ),
        Step(
            "ruleset",
            marked("Rules"),
            marked("The rule sheet from your box, and how the table speaks."),
            (
                Question(("rules", "base"), marked("Which rule sheet do you play by?")),
                Question(("game", "target"), marked("How many points end the game?")),
                Question(("table", "name"), marked("What is the table called?")),
                Question(("table", "language"), marked("Which language should it speak?")),
                Question(("voice", "on"), marked("Should it speak aloud?")),
                Question(
                    ("page", "address"),
                    marked(
                        "Who can open its page? 0.0.0.0: phones and other screens too; 127.0.0.1: only "
                        "this machine, which then needs a screen."
                    ),
                ),
            ),
            ("config.valid", "voice.engine", "journal.writes", "page.port", "page.reach"),
        ),
    )
}
"""By name."""
