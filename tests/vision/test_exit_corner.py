"""Printed corners at the card exit, drawn with blur, tilt and light (`croupier_sim.exit_camera`)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cardsight import model
from cardsight.exit_corner import ExitReader, part_of
from croupier_extras.sealed.exit_camera import Flashes
from croupier_rules.cards import DECKS, UNREAD
from croupier_sim.drawing import STYLES
from croupier_sim.exit_camera import SIZE, Flash, draw_flash, random_flash
from tests.longer import seeds

FACES = tuple(DECKS["g7942"])
NET = model.load().corner
STILL = Flash()


def reader(faces: tuple[str, ...] = FACES) -> ExitReader:
    assert NET is not None
    return ExitReader(NET, faces)


def passed(rng: np.random.Generator, face: str, tail: str | None = None, ahead_mm: float = 30.0) -> tuple[str, ...]:
    """What is read of a card, or of two of which the first is ahead."""
    flashes, style, flash = Flashes(reader()), STYLES[str(rng.choice(list(STYLES)))], random_flash(rng)
    flashes.see(0.0, draw_flash(face, style, flash, rng))
    over = None if tail is None else (face, ahead_mm)
    flashes.see(0.1, draw_flash(tail or face, style, flash, rng, part="tail", over=over))
    ((*faces,),) = flashes.take(0.1)
    return tuple(faces)


@pytest.mark.parametrize("seed", seeds(1, 9, short=1, long=2))
def test_a_passing_card_is_read(seed: int) -> None:
    rng = np.random.default_rng((27, seed))
    faces = FACES if seed > 1 else FACES[::9]
    read = {face: passed(rng, face) for face in faces}
    assert [face for face, got in read.items() if got not in ((face,), (UNREAD,))] == []
    assert sum(got == (face,) for face, got in read.items()) >= 0.95 * len(faces)


def test_two_cards_that_pass_as_one_are_seen_by_their_faces() -> None:
    rng = np.random.default_rng(5)
    assert passed(rng, "red-7", "blue-skip") == ("red-7", "blue-skip")
    assert passed(rng, "wild-draw4", "green-0", 40.0) == ("wild-draw4", "green-0")


@pytest.mark.parametrize(
    "worse", [replace(STILL, turn=12.0), replace(STILL, level=0.05), replace(STILL, flash_s=2e-3)],
    ids=["askew", "dark", "long-flash"],
)  # fmt: skip
def test_what_cannot_be_read_is_no_face(worse: Flash) -> None:
    rng = np.random.default_rng(5)
    for face in ("red-7", "wild-draw4"):
        seen = reader().read(draw_flash(face, STYLES["modern"], worse, rng))
        assert seen is None or seen.face in (UNREAD, face)
    empty = np.full((SIZE[1], SIZE[0], 3), 9, np.uint8)
    assert (part_of(empty), reader().read(empty)) == (None, None)


def test_wilds_with_the_same_corners_are_not_told_apart_and_unlearned_faces_are_not_guessed() -> None:
    rng = np.random.default_rng(5)
    wild = draw_flash("wild", STYLES["modern"], STILL, rng)
    for deck, face in (("g7942", "wild"), ("box112", UNREAD)):
        seen = reader(tuple(DECKS[deck])).read(wild)
        assert seen is not None
        assert seen.face == face
    assert reader(tuple(DECKS["no-mercy"])).read(wild) is None
