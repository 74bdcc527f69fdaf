"""The simulated table, its camera and its shoe: nothing is lost, frames show what lies there, same seed same game."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from croupier.devices.protocols import Feed
from croupier.events import ShoeReport
from croupier_rules.cards import DECKS
from croupier_sim.camera import SimCamera
from croupier_sim.drawing import GROUNDS, STYLES, Ground, Lamp, random_lamp
from croupier_sim.machine import ShoeFaults, SimShoe
from croupier_sim.table import CARDS_A_PICTURE, PILE_ZONE_MM, SHOW_ZONE_MM, VIEW_MM, Lying, Pose, SimTable
from tests.longer import examples

DECK = tuple(face for face, n in DECKS["g7942"].items() for _ in range(n))


def table(seed: int = 1, seats: int = 4) -> SimTable:
    return SimTable(seats, np.random.default_rng(seed), DECK)


def camera(of: SimTable, seed: int = 1, *, ground: Ground = "cloth", noise: float = 0.0) -> SimCamera:
    rng = np.random.default_rng(seed)
    return SimCamera(of, style=STYLES["modern"], ground=ground, lamp=Lamp(), rng=rng, noise=noise)


def all_cards(of: SimTable) -> Counter[str]:
    in_air = [reach.carries.face for reach in of.reaches if reach.carries and of.now < (reach.there + reach.back) / 2]
    assert not of.slides, "let every card arrive before counting"
    return Counter([*of.hopper, *(c for hand in of.hands for c in hand), *(card.face for card in of.discard), *in_air])


def settle(of: SimTable) -> None:
    of.run_to(of.now + 10)


@settings(max_examples=examples(25), deadline=None)
@given(st.integers(0, 999), st.lists(st.integers(0, 5), max_size=25))
def test_cards_are_conserved_whatever_hands_do(seed: int, moves: list[int]) -> None:
    t = table(seed)
    shoe = SimShoe(t, np.random.default_rng(seed), ShoeFaults(jam=0.1, double_feed=0.1))
    for job, move in enumerate(moves):
        seat = job % 4
        match move:
            case 0:
                shoe.feed(Feed(job, seat, 1 + job % 4))
            case 1 if t.hands[seat]:
                t.lay(seat, t.hands[seat][0])
            case 2 if t.discard:
                t.take_back(seat)
            case 3 if t.discard:
                t.return_top(seat, "deck" if job % 2 else "bottom")
            case 4 if t.discard:
                t.recycle(seat)
            case _:
                t.straighten(seat) if t.discard else t.turn_up(seat)
        settle(t)
        shoe.clear()
    settle(t)
    assert all_cards(t) == Counter(DECK)


def test_collected_hands_lie_on_top_of_the_draw_pile_and_later_cards_stay_with_their_seats() -> None:
    t = table(seats=3)
    t.hands = [list("ab"), list("cdX"), list("e")]
    below = t.hopper.copy()
    t.collect_hands(0, (2, 2, 1))
    settle(t)
    assert t.hands == [[], ["X"], []]
    assert sorted(t.hopper[:5]) == list("abcde")
    assert t.hopper[5:] == below


def test_nobody_gives_back_more_than_a_hand_holds_or_turns_up_a_card_of_an_empty_shoe() -> None:
    t = table(seats=2)
    t.hands, t.hopper = [list("abc"), []], ["d"]
    for n in (0, 2, 2):
        t.put_back(0, n)
        settle(t)
    assert (t.hands, t.hopper) == ([[], []], list("dcba"))
    t.hopper = []
    t.turn_up(0)
    settle(t)
    assert t.discard == []


def test_a_card_appears_in_the_frame_where_the_camera_says_its_corners_are() -> None:
    t = table()
    cam = camera(t)
    empty = cam.frame().image
    pose = Pose(40.0, -30.0, 25.0)
    t.spread = [Lying("red-7", pose)]
    t.version += 1
    changed = np.abs(cam.frame().image.astype(int) - empty).max(axis=2) > 25
    rows, columns = np.nonzero(changed)
    corners = cam.corners_px(pose)
    assert np.abs(np.array([columns.min(), columns.max()]) - [corners[:, 0].min(), corners[:, 0].max()]).max() < 8
    assert np.abs(np.array([rows.min(), rows.max()]) - [corners[:, 1].min(), corners[:, 1].max()]).max() < 8


def test_corners_go_clockwise_from_the_top_left_of_the_face() -> None:
    cam = camera(table())
    a, b, c, d = cam.corners_px(Pose(0, 0, 0))
    assert a[0] < b[0]
    assert abs(a[1] - b[1]) < 20
    assert d[1] > a[1]
    assert c[1] > b[1]
    turned = cam.corners_px(Pose(0, 0, 90))
    assert turned[0][0] > turned[3][0]  # turned clockwise, the top left corner lies to the right


def test_zones_lie_in_the_picture_and_apart() -> None:
    cam = camera(table())
    pile, show = cam.zone_px(PILE_ZONE_MM), cam.zone_px(SHOW_ZONE_MM)
    for left, top, right, bottom in (pile, show):
        assert 0 <= left < right <= cam.size[0]
        assert 0 <= top < bottom <= cam.size[1]
    assert pile[2] <= show[0] + 4


@pytest.mark.parametrize("n", [1, 7, CARDS_A_PICTURE])
def test_hands_laid_open_do_not_overlap_and_lie_in_their_zone(n: int) -> None:
    import cv2

    t = table()
    cam = camera(t)
    t.lay_open(0, list(DECK[:n]))
    settle(t)
    left, top, right, bottom = cam.zone_px(SHOW_ZONE_MM)
    covered = np.zeros((cam.size[1], cam.size[0]), np.uint8)
    for card in t.spread:
        corners = cam.corners_px(card.pose)
        assert (corners >= (left, top)).all()
        assert (corners <= (right, bottom)).all()
        own = np.zeros_like(covered)
        cv2.fillPoly(own, [np.round(corners).astype(np.int32)], 1)
        covered += own
    assert covered.max() == 1


@pytest.mark.parametrize("ground", GROUNDS)
def test_same_seed_same_frames_and_another_seed_others(ground: Ground) -> None:
    def frames(seed: int) -> list[np.ndarray]:
        t = table(seed)
        rng = np.random.default_rng(seed)
        cam = SimCamera(t, style=STYLES["classic"], ground=ground, lamp=random_lamp(rng), rng=rng)
        t.turn_up(0)
        t.feed(2, 0.4)
        seen = []
        for _ in range(6):
            t.run_to(t.now + 0.2)
            seen.append(cam.frame().image)
        return seen

    first, again, other = frames(3), frames(3), frames(4)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])


def test_a_hand_covers_the_card_it_lays_and_then_is_gone() -> None:
    t = table()
    cam = camera(t)
    touch = t.turn_up(1)
    t.run_to(touch)
    under_hand = cam.frame().image
    settle(t)
    alone = cam.frame().image
    left, top, right, bottom = cam.zone_px(PILE_ZONE_MM)
    hand = np.abs(under_hand.astype(int) - alone).max(axis=2)[top:bottom, left:right] > 40
    assert hand.mean() > 0.02
    t.run_to(t.now + 5)
    assert np.array_equal(cam.frame().image, alone)


def test_the_top_card_hides_what_lies_under_it() -> None:
    t = table()
    cam = camera(t)
    pose = Pose(-215.0, 45.0, 8.0)
    t.discard = [Lying("red-7", pose), Lying("blue-2", pose)]
    t.version += 1
    both = cam.frame().image
    t.discard = [Lying("blue-2", pose)]
    t.version += 1
    left, top, right, bottom = cam.zone_px(PILE_ZONE_MM)
    inside = np.abs(both.astype(int) - cam.frame().image).max(axis=2)[top:bottom, left:right]
    assert (inside > 60).mean() < 0.01  # only the double shadow


def test_view_is_as_wide_as_the_picture() -> None:
    cam = camera(table())
    corners = cam.to_px([(-VIEW_MM[0] / 2, -VIEW_MM[1] / 2), (VIEW_MM[0] / 2, VIEW_MM[1] / 2)])
    assert np.abs(corners - [(0, 0), cam.size]).max() < 30


def reports(shoe: SimShoe, t: SimTable, seconds: float) -> list[ShoeReport]:
    t.run_to(t.now + seconds)
    return list(shoe.reports())


def test_shoe_feeds_what_was_ordered_and_a_job_only_once() -> None:
    t = table()
    shoe = SimShoe(t, np.random.default_rng(1))
    shoe.feed(Feed(1, 2, 7))
    shoe.feed(Feed(1, 2, 7))
    done = reports(shoe, t, 5)
    shoe.feed(Feed(1, 2, 7))
    again = reports(shoe, t, 5)
    assert [(report.kind, report.job, report.n) for report in done] == [("fed", 1, 7)]
    assert again == done
    assert len(t.hands[2]) == 7


def test_shoe_reports_fewer_cards_when_the_hopper_runs_out() -> None:
    t = table()
    t.hopper = t.hopper[:2]
    shoe = SimShoe(t, np.random.default_rng(1))
    shoe.feed(Feed(1, 0, 4))
    assert [(report.asked, report.n) for report in reports(shoe, t, 5)] == [(4, 2)]


def test_jammed_shoe_stands_still_until_cleared() -> None:
    t = table()
    shoe = SimShoe(t, np.random.default_rng(1), ShoeFaults(jam=1.0))
    shoe.feed(Feed(1, 0, 2))
    shoe.feed(Feed(2, 1, 2))
    assert [(report.kind, report.n, report.fault) for report in reports(shoe, t, 30)] == [
        ("fed", 0, ""),
        ("fault", 0, "jam"),
    ]
    shoe.clear()
    after = [(report.kind, report.job) for report in reports(shoe, t, 30)]
    assert after == [("ready", 0), ("fed", 2), ("fault", 2)]


def test_double_feed_is_reported_with_the_cards_that_really_went_out() -> None:
    t = table()
    shoe = SimShoe(t, np.random.default_rng(1), ShoeFaults(double_feed=1.0))
    shoe.feed(Feed(1, 3, 1))
    fed, fault = reports(shoe, t, 5)
    assert (fed.asked, fed.n, fault.fault) == (1, 2, "double-feed")
    assert len(t.hands[3]) == 2
    assert shoe.take_surplus() == ((3, 1),)
    assert shoe.take_surplus() == ()
