"""A whole round at a table that `croupier host` runs: a filmed table, four phones in real browsers, one drag."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from croupier_sim.filming import FilmedTable
from tests.web.chromium import needs_chromium
from tests.web.filmed_table import film_of_app
from tests.web.hosted import NAMES, camera_page, end, hosted, play

pytestmark = [pytest.mark.long(minutes=3), needs_chromium]


def test_a_round_is_refereed_with_a_camera_and_four_phones(tmp_path: Path, browser: Browser) -> None:
    with film_of_app() as app, FilmedTable(app, len(NAMES)) as film, hosted(tmp_path, film, app.url) as table:
        play(table, browser, camera_page(table, browser))
        end(table)
