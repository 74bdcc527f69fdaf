"""`croupier doctor` at keys on the Pi's own pins."""

from __future__ import annotations

from pathlib import Path

import pytest

from croupier.app.doctor.check import ask
from croupier.app.doctor.checks import CHECKS
from croupier.app.doctor.examined import Examined
from tests.gpio.fake_lgpio import FakePins


@pytest.fixture
def table(tmp_path: Path, factory: str) -> Examined:
    (tmp_path / "croupier.toml").write_text(
        f'[gpio]\nfactory = "{factory}"\n[panel]\nred = 5\ngo = 13\n[buttons]\nkind = "pi"\npins = [21, 22, 23, 24]\n'
        '[camera]\nsource = "none"\n'
    )
    return Examined(tmp_path / "croupier.toml")


def test_keys_that_are_up_are_well(table: Examined) -> None:
    assert ask(CHECKS["panel.keys"], table, CHECKS).state == "ok"
    assert table.found["pins.free"].told == "6 pins are free for the table."


def test_a_key_that_hangs_is_named(table: Examined, fake: FakePins) -> None:
    fake.drive(22, 0)
    found = ask(CHECKS["panel.keys"], table, CHECKS)
    assert (found.state, found.told) == ("wrong", "Held down, or stuck: the UNO button of seat 1.")
