"""What a step does with the camera: finds where everything lies, or reads the cards that lie there."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import Final

from cardsight.annotate import annotate
from cardsight.calibrate.draw import draw
from cardsight.errors import NoCamera, NoFrame, NotCalibrated
from cardsight.sources import Picture, Source
from croupier.cards import CARD_MM
from croupier.config import Config
from croupier.errors import CroupierError
from croupier.i18n import _, ngettext
from croupier.pictures.calibrate import calibrated, view
from croupier.pictures.cameras import camera
from croupier.pictures.own_deck import reader_of
from croupier.setup.draft import Draft
from croupier.setup.steps import Act

SETTLE: Final = 15
"""Pictures until the exposure of a camera that was just opened has settled."""

USUAL_CALIBRATION: Final = "table.toml"
_CALIBRATION: Final = ("camera", "calibration")


@dataclass(frozen=True, slots=True)
class Done:
    """What came of it: in lines, and the ``picture`` of the camera with what was found drawn in (BGR)."""

    is_well: bool
    told: tuple[str, ...]
    picture: Picture | None = None


def do(act: Act, draft: Draft) -> Done:
    """Do it at the table as it would be. The draft takes a calibration in, for the file that it names, else for one
    beside its own."""
    config = draft.config()
    try:
        source = camera(config.camera)
        if source is None:
            return Done(False, (_("This table has no camera."),))
        with closing(source):
            picture = _look(source)
        return _calibrated(picture, config, draft) if act == "calibrate" else _read(picture, config)
    except (CroupierError, NoCamera, NoFrame, NotCalibrated) as err:
        return Done(False, tuple(str(err).splitlines()))
    except OSError as err:
        return Done(False, (f"{err.filename}: {err.strerror}",))


def _look(source: Source) -> Picture:
    """What the camera sees once it has settled."""
    picture: Picture | None = None
    missed: NoFrame | None = None
    for _frame in range(SETTLE):
        try:
            picture = source.frame().image
        except NoFrame as err:
            missed = err
    if picture is None:
        assert missed is not None
        raise missed
    return picture


def _calibrated(picture: Picture, config: Config, draft: Draft) -> Done:
    seen = view(picture, reader_of(None).read, CARD_MM)
    found = calibrated(seen, None, (), len(config.names()))
    if config.camera.calibration is None:
        draft.answer(_CALIBRATION, USUAL_CALIBRATION)
    draft.take_in(found.to_toml().encode())
    return Done(True, tuple(seen.told), draw(picture, found))


def _read(picture: Picture, config: Config) -> Done:
    reading = reader_of(config.deck.profile).read(picture)
    told = [ngettext("{n} card seen.", "{n} cards seen.", len(reading.cards) + len(reading.backs))]
    told += [f"{card.face} ({card.confidence:.0%})" for card in reading.cards]
    return Done(bool(reading.cards) and not reading.unreadable, tuple(told), annotate(picture, reading))
