"""Sources of frames: picture and video files, USB cameras, and the camera of a Raspberry Pi.

All are a `frames.Source`. The drivers of cameras are imported on use.
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
