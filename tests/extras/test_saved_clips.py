"""Clips that outlive their round: only where everybody who is seated has agreed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import httpx
import pytest

from croupier.table_api.live_table import LiveLine
from croupier.web.accounts import Person
from croupier_extras.clips.saved import MOST_BYTES, MOST_CLIPS, SavedClips
from tests.extras.test_clips import CLIP, LINES, PLAY
from tests.web.tables import Page, page

NAMES = {0: "Ann", 1: "Ben", 2: "Cat"}


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Page]:
    with page(tmp_path, LINES) as made:
        made.table.is_simulation = False
        made.table.clip = CLIP
        yield made


def seated(up: Page) -> list[httpx.Client]:
    """The phones of Ann, Ben and Cat."""
    return [up.client(Person("player", seat)) for seat in range(3)]


def asked_by(client: httpx.Client) -> str:
    """Ask that the clip be kept; its address."""
    answer = client.post("games/1/clip/keep", data={"n": str(PLAY)})
    assert answer.status_code == 303
    return str(answer.headers["location"]).removeprefix("/")


def test_a_clip_is_kept_once_everybody_has_agreed_and_outlives_the_live_one(up: Page) -> None:
    ann, ben, cat = seated(up)
    assert "Keep this clip" in ann.get(f"games/1/clip?at={PLAY}").text
    assert "Keep this clip" not in up.client().get(f"games/1/clip?at={PLAY}").text
    address = asked_by(ann)
    assert asked_by(ben) == address, "of a touch there is one"
    assert "May this clip be kept?" in cat.get("games/1/seats/2").text
    assert "May this clip be kept?" not in ann.get("games/1/seats/0").text
    assert ben.post(address, data={"do": "agree", "seat": "2"}).status_code == 403, "for nobody else"
    assert ann.get(f"{address}/pictures.zip").status_code == 409
    for one in (ben, cat):
        assert "Still to agree: Cat." in one.get(address).text
        assert one.post(address, data={"do": "agree"}).status_code == 303
    up.table.clip = None
    assert "Everybody has agreed" in cat.get(address).text
    with ZipFile(BytesIO(cat.get(f"{address}/pictures.zip").content)) as pictures:
        assert [pictures.read(one) for one in pictures.namelist()] == [jpeg for _t, jpeg in CLIP.frames]
    assert address in ben.get("clips").text
    assert ben.post(address, data={"do": "delete"}).status_code == 303
    assert cat.get(address).status_code == 404


def test_who_refuses_ends_it(up: Page) -> None:
    ann, ben, _cat = seated(up)
    address = asked_by(ann)
    assert ben.post(address, data={"do": "refuse"}).status_code == 303
    assert ann.get(address).status_code == 404
    assert "No clip is kept." in ann.get("clips").text


def test_at_the_page_of_the_table_a_referee_agrees_for_a_seat_without_a_phone_only(up: Page) -> None:
    ann, referee = up.client(Person("player", 0)), up.client(Person("referee"))
    up.client(Person("player", 1))
    address = asked_by(referee)
    assert referee.post(address, data={"do": "agree", "seat": "1"}).status_code == 403
    assert referee.post(address, data={"do": "agree", "seat": "2"}).status_code == 303
    assert "Still to agree: Ann, Ben." in ann.get(address).text


def test_what_is_gone_cannot_be_kept(up: Page) -> None:
    up.table.clip = None
    assert up.client(Person("player", 0)).post("games/1/clip/keep", data={"n": str(PLAY)}).status_code == 409


def test_with_the_next_round_only_saved_clips_stay_and_they_have_a_limit() -> None:
    clips = SavedClips()
    first = clips.ask(1, 2, CLIP, NAMES)
    second = clips.ask(1, 4, replace(CLIP, t=103.0), NAMES)
    assert first is not None
    assert second is not None
    for seat in NAMES:
        clips.agree(first.number, seat)
    assert clips.questions(1, 2) == ((f"/clips/{second.number}", "May this clip be kept?"),)
    assert clips.questions(1, 3) == clips.questions(2, 2) == clips.questions(1, None) == ()
    clips.append(LiveLine(1, 5, "{}", "round_over"))
    assert len(clips.all()) == 2
    clips.append(LiveLine(1, 6, "{}", "deal"))
    assert [one.number for one in clips.all()] == [first.number]
    assert clips.ask(1, 6, replace(CLIP, t=110.0, frames=((110.0, bytes(MOST_BYTES)),)), NAMES) is None
    for n in range(MOST_CLIPS - 1):
        assert clips.ask(1, 6, replace(CLIP, t=200.0 + n), NAMES) is not None
    assert clips.ask(1, 6, replace(CLIP, t=300.0), NAMES) is None
