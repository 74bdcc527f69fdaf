"""First evenings in strange houses: from `croupier host` to the score of a round."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Playwright

from tests.first_evening.evening import evening
from tests.first_evening.guests import GuestInAnotherLanguage, Refuser, Sleeper, Translated
from tests.first_evening.house import HOUSES
from tests.namespaces import World
from tests.web.chromium import needs_chromium
from tests.web.hosted import calibrate, end

pytestmark = [pytest.mark.long(minutes=1), needs_chromium]


@pytest.mark.parametrize("name", ["home"])
def test_a_round_is_played_to_its_score(name: str, tmp_path: Path, world: World, playwright: Playwright) -> None:
    with evening(tmp_path, HOUSES[name](world), playwright) as one:
        calibrate(one.table, one.admin)
        one.sit_down(
            Sleeper("Zoë"), Translated("Mary Ann"), Refuser("دوست‌من"), GuestInAnotherLanguage("山田　太郎", "de")
        )
        points = one.play().lay_hands_open()
        one.expect_score(points)
        end(one.table)
