"""Reads the cards of a game of UNO in pictures, and follows a discard pile in a video.

    from cardsight import Reader, load_picture

    for card in Reader().read(load_picture("table.jpg")).cards:
        print(card.face, card.confidence, card.corners_px)

What is named here is the public interface (`docs/api.md`); modules below it may change. Each name is loaded on its
first use: a program that needs the results only loads no OpenCV.
"""

from __future__ import annotations

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Final

from cardsight.sighting import Corners, Doubt, Reading, Sighting

if TYPE_CHECKING:
    from cardsight import calibrate, enroll
    from cardsight.errors import NoCamera, NoFrame, NoMoreFrames, NotAPicture
    from cardsight.reader import Reader
    from cardsight.sources import Frame, Picture, Source, decode_picture, load_picture
    from cardsight.sources.frames import VideoFile
    from cardsight.track import events
    from cardsight.track.tracker import PileTracker

    __version__: str

_PLACES: Final = {
    **{name: f"errors.{name}" for name in ("NoCamera", "NoFrame", "NoMoreFrames", "NotAPicture")},
    "Frame": "sources.Frame",
    "Picture": "sources.Picture",
    "PileTracker": "track.tracker.PileTracker",
    "Reader": "reader.Reader",
    "Source": "sources.Source",
    "VideoFile": "sources.frames.VideoFile",
    "calibrate": "calibrate",
    "decode_picture": "sources.decode_picture",
    "enroll": "enroll",
    "events": "track.events",
    "load_picture": "sources.load_picture",
}
"""By public name: where it is."""

__all__ = [
    "Corners",
    "Doubt",
    "Frame",
    "NoCamera",
    "NoFrame",
    "NoMoreFrames",
    "NotAPicture",
    "Picture",
    "PileTracker",
    "Reader",
    "Reading",
    "Sighting",
    "Source",
    "VideoFile",
    "__version__",
    "calibrate",
    "decode_picture",
    "enroll",
    "events",
    "load_picture",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # loads the library for e-mail

        value: Any = version("cardsight")
    elif name in _PLACES:
        value = resolve_name(f"{__name__}.{_PLACES[name]}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value
