"""Where pictures come from: files (`picture`, `video`), cameras on USB (`usb`) and on the Raspberry Pi's own connector
(`pi`). All give frames in one way (`frames.Source`); the drivers of the cameras are imported when they are used.
"""

from cardsight.sources.frames import Frame, Source
from cardsight.sources.picture import (
    MAX_MEGAPIXELS,
    MAX_SIDE_PX,
    MIN_SIDE_PX,
    TRANSPARENT_BGR,
    Picture,
    decode_picture,
    load_picture,
)

__all__ = [
    "MAX_MEGAPIXELS",
    "MAX_SIDE_PX",
    "MIN_SIDE_PX",
    "TRANSPARENT_BGR",
    "Frame",
    "Picture",
    "Source",
    "decode_picture",
    "load_picture",
]
