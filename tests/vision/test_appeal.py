"""An appeal: the kept pictures of a card are weighed, and only where they are sure the record may be changed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from cardsight.reader import Reader
from cardsight.sighting import Sighting
from cardsight.track.appeal import Appeals, weigh
from cardsight.track.clip import KEPT_S, MOST_PICTURES, ClipBuffer
from cardsight.track.events import Event, Lifted, TakenAway, Touched
from croupier_bench.appeal import appeal_clip, measure, outcome, planted
from croupier_rules.cards import DECKS
from tests.vision.test_clip import CARD_PX, OUTLINE, ZONE, filmed, noisy

DECK = tuple(DECKS["g7942"])


def named(face: str, n: int, confidence: float = 0.99) -> list[Sighting]:
    return [Sighting(face, confidence, OUTLINE)] * n


def doubtful(n: int, **chances: float) -> list[Sighting]:
    candidates = tuple((face.replace("_", "-"), chance) for face, chance in chances.items())
    return [Sighting("?", max(chances.values()), OUTLINE, candidates=candidates)] * n


@pytest.mark.parametrize(
    ("sightings", "face", "shown", "is_sure"),
    [
        pytest.param([], "?", 0, False, id="nothing-is-kept"),
        pytest.param(named("green-6", 15), "green-6", 15, True, id="all-alike"),
        pytest.param([*named("green-6", 14), *doubtful(1, green_9=0.6)], "green-6", 14, True, id="one-is-blurred"),
        pytest.param(named("green-6", 1), "green-6", 1, False, id="one-picture-is-not-enough"),
        pytest.param([*named("green-6", 2), *named("blue-6", 13)], "blue-6", 13, False, id="another-may-lie-on-it"),
        pytest.param([*named("green-6", 8), *named("blue-6", 7)], "green-6", 8, False, id="even"),
        pytest.param(
            doubtful(15, green_6=0.7, blue_6=0.3), "green-6", 0, False, id="the-same-doubt-fifteen-times-is-a-doubt"
        ),
        pytest.param([Sighting("back", 0.99, OUTLINE)] * 5, "?", 0, False, id="face-down"),
        pytest.param(named("wild", 5, 1.0), "wild", 5, True, id="as-sure-as-can-be"),
    ],
)
def test_pictures_are_weighed(sightings: Sequence[Sighting], face: str, shown: int, *, is_sure: bool) -> None:
    verdict = weigh(sightings, DECK)
    assert (verdict.face, verdict.shown, verdict.is_sure) == (face, shown, is_sure)
    assert verdict.pictures == len(sightings)


def test_more_pictures_under_the_same_lamp_are_not_surer() -> None:
    assert weigh(named("red-7", 4), DECK).log_odds == weigh(named("red-7", 40), DECK).log_odds
    assert weigh(named("red-7", 1), DECK).log_odds < weigh(named("red-7", 2), DECK).log_odds


def times_kept(*after: tuple[float, Event]) -> list[int]:
    """The numbers of the pictures that an appeal against a card of 1.0 s reads, where these events follow."""
    buffer = ClipBuffer((0, 0, 160, 120), 62.0)
    due = [(1.2, Touched(t=1.0, u=0.05, face="red-7", corners_px=OUTLINE)), *after]
    images = [noisy(number) for number in range(60)]
    for number, image in enumerate(images):
        events = [event for t, event in due if number == round(t * 10)]
        buffer.push(number / 10, image, events, is_settled=not 8 <= number < 12 and not 28 <= number < 32)
    kept = buffer.pictures_of(1.0)
    assert kept is not None
    return sorted(int(np.argmin([np.abs(image.astype(int) - one).mean() for one in images])) for image in kept[2])


def test_the_pictures_are_of_the_card_while_it_is_the_top_card() -> None:
    all_kept = times_kept()
    assert all_kept[0] > 10
    assert all_kept[-1] > 50
    assert len(all_kept) <= MOST_PICTURES
    covered = times_kept((3.2, Touched(t=3.0, u=0.1, face="red-8", corners_px=OUTLINE)))
    assert covered == [number for number in all_kept if number < 27]
    assert times_kept((3.2, Lifted(3.0, 0.1, "red-7"))) == covered
    assert max(times_kept((3.2, TakenAway(3.2, None)))) < 28, "not while the pile is being taken"


def test_an_appeal_reads_the_card_that_was_laid_and_not_the_one_held_over_it() -> None:
    readers = list[Reader]()

    def reader() -> Reader:
        readers.append(Reader())
        return readers[-1]

    appeals = Appeals(filmed(), reader, DECK)
    assert readers == [], "an appeal is rare: nothing is loaded before"
    under, top = appeals.judge(2.0), appeals.judge(5.0)
    assert under is not None
    assert top is not None
    assert (under.face, under.is_sure, top.face, top.is_sure) == ("blue-5", True, "red-7", True)
    assert len(readers) == 1
    assert appeals.judge(3.5) is None
    assert appeals.judge(5.0, now=5.0 + KEPT_S + 1) is None


def test_a_card_of_which_no_picture_is_kept_is_not_judged() -> None:
    buffer = ClipBuffer(ZONE, CARD_PX)
    touch = Touched(t=1.0, u=0.05, face="red-7", corners_px=OUTLINE)
    buffer.push(1.2, noisy(1), [touch], is_settled=True)
    buffer.push(1.3, noisy(2), [Touched(t=0.9, u=0.05, face="red-8", corners_px=OUTLINE)], is_settled=True)
    assert Appeals(buffer, Reader, DECK).judge(1.0) is None


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "seed"),
    [("webcam", 1001), ("two in 0.75 s", 1003), pytest.param("jitter of 0.5 px", 71, id="reported late")],
)
def test_planted_misreads_are_overturned_and_true_readings_stay(kind: str, seed: int) -> None:
    rng = np.random.default_rng(1)
    appealed = appeal_clip(kind, seed, Reader())
    assert len(appealed) == 3
    for face, reported, verdict in appealed:
        assert reported == face
        assert outcome(face, face, verdict) == "confirmed"
        assert outcome(planted(face, rng), face, verdict) == "overturned"


@pytest.mark.long
def test_the_bench_counts_what_appeals_come_to() -> None:
    planted_ones, true_ones, unread = measure(("steady",), (1001,))
    assert (planted_ones["counts"], true_ones["counts"], unread["counts"]) == ({"overturned": 3}, {"confirmed": 3}, {})
    assert (planted_ones["ours"], true_ones["ours"]) == (100.0, 100.0)
    assert true_ones["remarks"] == []
