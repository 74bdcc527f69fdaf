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
            marked("It looks down on the table from above and sees the discard pile and the hands that are laid open."),
            (
                Question(("camera", "source"), marked("Which camera?")),
                Question(("camera", "size"), marked("How large are its pictures?")),
                Question(("camera", "fps"), marked("How many pictures in a second?")),
            ),
            ("camera.opens", "camera.rate", "camera.light", "camera.sharp"),
        ),
        Step(
            "table",
            marked("Table"),
            marked(
                "Print the sheet (croupier calibrate --sheet sheet.pdf) and lay it where the discard pile will lie, or "
                "spread ten cards. Then let the camera look."
            ),
            (Question(("camera", "calibration"), marked("In which file does the place of everything stand?")),),
            ("table.calibrated",),
            "calibrate",
        ),
        Step(
            "deck",
            marked("Deck"),
            marked(
                "Lay some cards under the camera and see whether it reads them. If it does not know your edition, "
                "croupier enroll learns it."
            ),
            (Question(("deck", "profile"), marked("In which file does your own deck stand?")),),
            ("deck.learned",),
            "read",
        ),
        Step(
            "seats",
            marked("Seats and players"),
            marked("Seats go clockwise. Each may have an UNO button; a key that is not there is on the page."),
            (
                Question(("seats", "names"), marked("Who plays?")),
                Question(("seats", "dealer"), marked("Which seat deals first?")),
                Question(("buttons", "kind"), marked("Where do the UNO buttons hang?")),
                Question(
                    ("buttons", "pins"), marked("At which pins do the UNO buttons hang?"), (("buttons", "kind"), "pi")
                ),
                Question(("panel", "go"), marked("At which pin does the referee's key for go hang?")),
                Question(("panel", "accept"), marked("At which pin does the key to accept hang?")),
                Question(("panel", "challenge"), marked("At which pin does the key to challenge hang?")),
            ),
            ("pins.free", "panel.keys"),
        ),
        Step(
            "shoe",
            marked("Shoe"),
            marked("What deals the cards. Without a shoe people deal."),
            (
                Question(("shoe", "kind"), marked("Where does the shoe hang?")),
                Question(("pico", "port"), marked("At which port is the Pico?"), _AT_PICO),
                Question(("shoe", "angles"), marked("Where does each seat sit, in degrees?"), _AT_PICO),
                Question(("shoe", "forward"), marked("Which pin drives the motor forward?"), _AT_PI),
                Question(("shoe", "back"), marked("Which pin drives the motor back?"), _AT_PI),
                Question(("shoe", "exit"), marked("At which pin does the light barrier hang?"), _AT_PI),
                Question(("shoe", "hopper"), marked("At which pin does the sensor of the hopper hang?"), _AT_PI),
            ),
            ("pico.found", "pico.firmware", "pico.clock", "shoe.sensors", "shoe.homes", "pins.free"),
        ),
        Step(
            "ring",
            marked("Ring of lights"),
            marked("It shows whose turn it is, which way the game goes, and the color."),
            (
                Question(("ring", "kind"), marked("Where does the ring hang?")),
                Question(("ring", "lights"), marked("How many lights does it have?")),
            ),
            ("ring.lights",),
        ),
        Step(
            "ruleset",
            marked("Rules"),
            marked("The sheet that lies in your box, and how the table speaks."),
            (
                Question(("rules", "base"), marked("Which sheet do you play by?")),
                Question(("game", "target"), marked("At how many points does the game end?")),
                Question(("table", "name"), marked("What is the table called?")),
                Question(("table", "language"), marked("Which language does it speak?")),
                Question(("voice", "on"), marked("Does it speak aloud?")),
                Question(
                    ("page", "address"),
                    marked(
                        "Who may look at its page? 0.0.0.0: phones and other screens, too; 127.0.0.1: this machine "
                        "alone, which then needs a screen."
                    ),
                ),
            ),
            ("config.valid", "voice.engine", "journal.writes", "page.port", "page.reach"),
        ),
    )
}
"""By name."""
