"""The clip of an evening: its best moments that were kept with everybody's consent, as a film that phones play."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import av
import httpx
import numpy as np
import pytest

from croupier.errors import CannotWrite
from croupier.table_api.live_table import PileClip
from croupier.web.accounts import Person
from croupier_extras.keepsake.clip import CAPTION_PX, MOST_S, SIZE, Scene, evening_clip, scenes
from tests.extras.test_clips import CLIP, LINES, PLAY
from tests.journal.games import game_lines
from tests.vision.network_cameras import gray_jpeg
from tests.web.moments import MOMENTS
from tests.web.stories import story_of
from tests.web.tables import Page, page

ANN, BEN, CAT = (Person("player", seat) for seat in range(3))


def filmed(t: float, level: int = 200, seconds: float = 6.5) -> PileClip:
    """A clip of gray pictures, five a second, from 1.5 s before the touch at ``t`` on."""
    frames = tuple((t - 1.5 + n / 5, gray_jpeg(level)) for n in range(round(seconds * 5)))
    return PileClip(t, 0.05, (320, 240), ((0.0, 0.0),) * 4, frames)


def pictures(film: bytes) -> list[tuple[float, np.ndarray]]:
    """The pictures of a film (height, width, RGB) with their times (s)."""
    with av.open(BytesIO(film), "r") as container:
        stream = container.streams.video[0]
        assert (stream.codec_context.name, stream.codec_context.pix_fmt) == ("h264", "yuv420p")
        return [(float(one.time or 0.0), one.to_ndarray(format="rgb24")) for one in container.decode(stream)]


def test_three_long_moments_are_at_most_twenty_seconds_each_with_its_caption() -> None:
    levels = (40, 120, 200)
    film = evening_clip([Scene(filmed(100.0 * n, level), f"Moment {n}") for n, level in enumerate(levels, 1)])
    found = pictures(film)
    times = [t for t, _picture in found]
    assert times == sorted(times)
    assert 15.0 < times[-1] <= MOST_S
    middle = [int(picture[(SIZE[1] - CAPTION_PX) // 2, SIZE[0] // 2, 0]) for _t, picture in found]
    assert [level for level in levels if any(abs(one - level) < 12 for one in middle)] == list(levels)
    assert middle == sorted(middle), "one after the other"
    captions = [picture[-CAPTION_PX:].astype(int) for _t, picture in (found[0], found[-1])]
    assert all((caption.min(axis=2) > 180).any() for caption in captions), "letters are light"
    assert abs(captions[0] - captions[1]).max() > 60, "and others for each moment"


def test_a_film_keeps_the_pace_of_the_camera_and_ends_on_the_last_picture() -> None:
    times = [t for t, _picture in pictures(evening_clip([Scene(filmed(100.0, seconds=3.0), "One")]))]
    assert times[:3] == pytest.approx([0.0, 0.2, 0.4], abs=0.002)
    assert times[-1] == pytest.approx(2.8 + 1.2, abs=0.01)


def test_the_best_moments_are_shown_in_the_order_of_time_and_others_where_room_is_left() -> None:
    story = story_of(game_lines(5, rounds=2))
    first = next(one.n for one in story.moments if one.obs == "play")
    kept = {n: filmed(story.at(n).t) for n in (166, 67, first, 22)}
    found = scenes(story, kept)
    assert [one.clip for one in found] == [kept[22], kept[67], kept[166]]
    begins = ["Player 2 was wrong: Player 1 held no card", "Player 3: 78 points", "Player 2: 126 points"]
    assert [one.caption.startswith(begin) for one, begin in zip(found, begins, strict=True)] == [True] * 3
    (only, best) = scenes(story, {22: kept[22], first: kept[first]})
    assert (only.clip, only.caption) == (kept[first], story.describe(story.at(first)).seen)
    assert best.clip == kept[22]


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Page]:
    with page(tmp_path, LINES) as made:
        made.table.clip = CLIP
        yield made


def film(up: Page, person: Person | None) -> httpx.Response:
    return up.client(person).get("games/1/evening.mp4")


def keep(up: Page, *persons: Person) -> None:
    """The first of the persons asks that the clip be kept; all of them agree."""
    first, *others = persons
    assert up.client(first).post("games/1/clip/keep", data={"n": PLAY}).status_code == 303
    for person in others:
        assert up.client(person).post("clips/1", data={"do": "agree"}).status_code == 303


def test_a_moment_is_in_the_film_when_all_have_agreed_and_for_those_alone(up: Page) -> None:
    nothing = film(up, ANN)
    assert (nothing.status_code, "No moment of this game was kept" in nothing.text) == (409, True)
    keep(up, ANN, BEN)
    assert film(up, ANN).status_code == 409, "Cat has not agreed"
    assert up.client(CAT).post("clips/1", data={"do": "agree"}).status_code == 303
    answer = film(up, BEN)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "video/mp4")
    assert len(pictures(answer.content)) > len(CLIP.frames) // 2
    assert film(up, None).status_code in (401, 403), "somebody who does not play"


def test_the_button_is_there_where_a_camera_sees_the_table(tmp_path: Path) -> None:
    with page(tmp_path, tuple(MOMENTS["won-2"])) as up:
        assert "evening.mp4" in up.client(ANN).get("games/1/seats/0").text
        up.table.has_camera = False
        up.server.ring()
        assert "evening.mp4" not in up.client(BEN).get("games/1/seats/1").text


def test_without_the_package_it_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(CannotWrite, match=r"pip install '.*/host/croupier-table\[clip\]'"):
        evening_clip([Scene(filmed(1.0), "One")])
