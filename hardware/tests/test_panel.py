"""The panel has the keys of its wiring, with the signs that the page shows."""

from __future__ import annotations

from itertools import combinations
from math import dist

from hardware import parameters as p
from hardware.cad import panel
from hardware.cad.solids import rod
from hardware.wiring import pi


def test_the_panel_has_the_keys_that_its_wiring_has() -> None:
    assert set(panel.KEYS) == {one.key for one in pi.TABLE.keys}


def test_every_key_has_a_sign_of_its_own() -> None:
    assert set(panel.signs()) == set(panel.KEYS)


def test_keys_are_far_enough_apart_for_a_thumb() -> None:
    assert all(dist(a, b) >= p.KEY_PITCH - 0.01 for a, b in combinations(panel.KEYS.values(), 2))


def test_no_sign_lies_under_a_key() -> None:
    for name, sign in panel.signs().items():
        for at in panel.KEYS.values():
            rim = rod("z", at, p.KEY_HOLE + 5, panel.TOP)
            assert sign.val().intersect(rim.val()).Volume() < 0.01, name
