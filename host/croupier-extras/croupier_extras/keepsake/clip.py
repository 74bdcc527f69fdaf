"""The clip of an evening (MP4): up to three of its moments as the camera saw them on the discard pile, 20 s at most.

It is made of the clips that people kept (`croupier_extras.clips.saved`), each with the consent of all who were seated.
Their pictures show the zone of the discard pile alone: no hand that was not laid open, and no face above the table.
H.264 in MP4 is what all phones play and messengers take.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from croupier.errors import CannotWrite
from croupier.game_views.story import Story
from croupier.i18n import _
from croupier.installer import how_to_install
from croupier.table_api.live_table import PileClip
from croupier_extras.clips.clips import touch_of
from croupier_extras.documents.drawing import drawing, legible, lines, needs_package, png
from croupier_extras.keepsake.evening import best_moments

if TYPE_CHECKING:
    from fractions import Fraction

MOST_MOMENTS: Final = 3
MOST_S: Final = 20.0
"""Length that people look at to the end, and that messengers take."""

SIZE: Final = (720, 840)
"""Width and height (px): the pile, and a caption below it."""
CAPTION_PX: Final = 120
_GROUND: Final = (0x12, 0x42, 0x34)
"""The color of the caption and beside a picture, as in the evening's picture (``templates/caption.svg``)."""

_BEFORE_S: Final = 1.5
_HOLD_S: Final = 1.2
"""Time before the touch of a card, and time for which the last picture of a moment stays."""
_MS: Final = 1000


@dataclass(frozen=True, slots=True)
class Scene:
    """A moment of the clip: its pictures, and the ``caption`` that says what happened."""

    clip: PileClip
    caption: str


def scenes(story: Story, kept: Mapping[int, PileClip]) -> tuple[Scene, ...]:
    """The best moments of a game of which a clip was ``kept`` (by the number of its line), in the order of time."""
    best: dict[int, tuple[int, str]] = {}
    for rank, one in enumerate(best_moments(story, most=len(story))):
        if (touch := touch_of(story, one.moment)) is not None:
            best.setdefault(touch.n, (rank, one.text))
    found = []
    for n, clip in kept.items():
        moment = story.at(n)
        touch = touch_of(story, moment) or moment
        rank, text = best.get(touch.n, (len(story), story.describe(touch).seen))
        found.append((rank, n, Scene(clip, text)))
    chosen = sorted(found, key=lambda one: one[:2])[:MOST_MOMENTS]
    return tuple(scene for _rank, _n, scene in sorted(chosen, key=lambda one: one[1]))


def shown_frames(clip: PileClip, most_s: float) -> Iterator[tuple[float, bytes]]:
    """Yield the pictures of a clip that are shown, with their time (s) in its scene of ``most_s`` at most."""
    begin = clip.t - _BEFORE_S
    for t, jpeg in clip.frames:
        if begin <= t < begin + most_s - _HOLD_S:
            yield t - begin, jpeg


def evening_clip(shown: Sequence[Scene]) -> bytes:
    """The clip of these moments.

    Raises:
        CannotWrite: PyAV, resvg or fontTools is not installed.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="croupier-") as folder:
            file = Path(folder) / "evening.mp4"
            _encode(shown, file)
            return file.read_bytes()
    except ModuleNotFoundError as missing:
        if missing.name != "av":
            raise needs_package(missing) from missing
        raise CannotWrite(_("A film needs PyAV: {command}", command=how_to_install("croupier[clip]"))) from missing


def _encode(shown: Sequence[Scene], file: Path) -> None:
    from fractions import Fraction

    import av

    with av.open(str(file), "w", format="mp4", options={"movflags": "+faststart"}) as container:
        # The profile that all phones decode in hardware; a table is a still picture but for hands and cards.
        stream: Any = container.add_stream("libx264", rate=25, options={"preset": "veryfast", "crf": "26", "bf": "0"})
        stream.width, stream.height = SIZE
        stream.pix_fmt, stream.profile = "yuv420p", "Main"
        stream.time_base = stream.codec_context.time_base = Fraction(1, _MS)
        for frame in _frames(shown, stream.time_base):
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


def _frames(shown: Sequence[Scene], time_base: Fraction) -> Iterator[Any]:
    """Yield the pictures of all moments with their times; each keeps the pace of the camera."""
    import av
    import numpy as np

    begin, most_s = 0.0, MOST_S / max(len(shown), 1)
    for scene in shown:
        canvas = np.full((SIZE[1], SIZE[0], 3), _GROUND, np.uint8)
        canvas[-CAPTION_PX:] = _picture(_caption(scene.caption), (SIZE[0], CAPTION_PX))
        ends = 0.0
        for t, jpeg in shown_frames(scene.clip, most_s):
            canvas[:-CAPTION_PX] = _picture(jpeg, (SIZE[0], SIZE[1] - CAPTION_PX))
            frame = av.VideoFrame.from_ndarray(canvas, format="rgb24")
            frame.time_base, frame.pts = time_base, round((begin + t) * _MS)
            ends = t
            yield frame
        begin += ends + _HOLD_S
        frame = av.VideoFrame.from_ndarray(canvas, format="rgb24")
        frame.time_base, frame.pts = time_base, round(begin * _MS) - 1
        yield frame


def _picture(data: bytes, size: tuple[int, int]) -> Any:
    """The pixels of a picture (height, width, RGB), fitted into ``size``."""
    import av
    import numpy as np

    with av.open(BytesIO(data), "r") as container:
        frame = next(container.decode(video=0))
    scale = min(size[0] / frame.width, size[1] / frame.height)
    width, height = round(frame.width * scale), round(frame.height * scale)
    pixels = frame.reformat(width, height, "rgb24").to_ndarray()
    fitted = np.full((size[1], size[0], 3), _GROUND, np.uint8)
    left, top = (size[0] - width) // 2, (size[1] - height) // 2
    fitted[top : top + height, left : left + width] = pixels
    return fitted


def _caption(text: str) -> bytes:
    """The caption as a picture (PNG)."""
    width = SIZE[0]
    written = [*lines(legible(text), 16, 30, 2, width - 48)]
    svg = drawing("caption.svg", Path(__file__).parent).render(size=(width, CAPTION_PX), written=written)
    return png(svg)
