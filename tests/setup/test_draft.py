"""Answers are taken in, tried and thrown away before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.cli import table
from croupier.config import load
from croupier.doctor.runner import CHECKS
from croupier.setup.draft import Draft
from croupier.setup.steps import STEPS

CAMERA, NAMES, KIND, PINS = ("camera", "source"), ("seats", "names"), ("buttons", "kind"), ("buttons", "pins")


def test_there_are_at_most_seven_steps_and_every_check_of_theirs_exists() -> None:
    assert len(STEPS) <= 7
    assert tuple(STEPS) == table.STEPS
    for step in STEPS.values():
        assert set(step.checks) <= CHECKS.keys()
        assert all(question.option.meaning for question in step.questions)


@pytest.mark.parametrize(
    ("path", "line", "meant"),
    [
        (CAMERA, "usb:1", "usb:1"),
        (("camera", "fps"), "15", 15.0),
        (NAMES, "Ann, Ben,Cat", ("Ann", "Ben", "Cat")),
        (NAMES, '["Ann", "7"]', ("Ann", "7")),
        (("seats", "dealer"), "1", 0),
        (("shoe", "angles"), "180, -90.5, 0, 90", (180.0, -90.5, 0.0, 90.0)),
        (("panel", "go"), "GPIO13", 13),
        (("voice", "on"), "True", True),
        (("rules", "base"), "classic-hu", "classic-hu"),
        (("table", "name"), "7", "7"),
    ],
)
def test_a_text_a_number_and_a_list_are_typed_alike(
    tmp_path: Path, path: tuple[str, str], line: str, meant: object
) -> None:
    draft = Draft(tmp_path / "croupier.toml")
    assert draft.answer(path, line) == ""
    draft.save()
    section = getattr(load(tmp_path / "croupier.toml"), path[0])
    assert getattr(section, path[1]) == meant
    assert Draft(tmp_path / "croupier.toml").answer(path, Draft(tmp_path / "croupier.toml").value_text(path)) == ""


@pytest.mark.parametrize(
    ("path", "line", "wrong"),
    [
        (("camera", "fps"), "fast", "expected a number, 1 to 120"),
        (KIND, "pcio", "expected pico, pi or none"),
        (("seats", "dealer"), "5", "5: expected a whole number, 1 to 4"),
        (("seats", "dealer"), "0", "0: expected a whole number, 1 to 4"),
        (("voice", "on"), "sometimes", "expected true or false"),
    ],
)
def test_what_cannot_be_meant_is_reported_and_changes_nothing(
    tmp_path: Path, path: tuple[str, str], line: str, wrong: str
) -> None:
    draft = Draft(tmp_path / "croupier.toml")
    assert wrong in draft.answer(path, line)
    assert not draft.is_changed


def test_what_does_not_go_together_yet_may_be_answered_and_not_kept(tmp_path: Path) -> None:
    draft = Draft(tmp_path / "croupier.toml")
    seats = STEPS["seats"]
    assert PINS not in {question.path for question in draft.questions(seats)}
    assert draft.answer(NAMES, "Ann, Ben") == ""
    assert draft.answer(KIND, "pi") == ""
    assert PINS in {question.path for question in draft.questions(seats)}
    assert "expected one for each seat" in draft.mistakes[0]
    assert list(draft.run_checks(seats)) == []
    assert draft.answer(PINS, "21, 22") == ""
    assert draft.mistakes == ()


def test_comments_stay_and_what_is_dropped_was_never_there(tmp_path: Path) -> None:
    file = tmp_path / "croupier.toml"
    file.write_text('# ours\n[camera]  # above\nsource = "none"\n')
    draft = Draft(file)
    draft.answer(CAMERA, "usb:3")
    draft.discard()
    draft.answer(("ring", "lights"), "60")
    draft.save()
    assert file.read_text().startswith('# ours\n[camera]  # above\nsource = "none"\n')
    assert load(file).ring.lights == 60
    assert draft.answer(("ring", "lights"), "-") == ""
    draft.save()
    assert load(file).ring.lights == 24


@pytest.mark.long
@given(st.lists(st.tuples(st.sampled_from([one.path for step in STEPS.values() for one in step.questions]), st.text())))
def test_whatever_is_typed_the_draft_stays_a_file_that_can_be_read(
    tmp_path_factory: pytest.TempPathFactory, answers: list[tuple[tuple[str, ...], str]]
) -> None:
    draft = Draft(tmp_path_factory.mktemp("draft") / "croupier.toml")
    for path, line in answers:
        before = draft.text
        if draft.answer(path, line):
            assert draft.text == before
        draft.value_text(path)
    if not draft.mistakes:
        draft.save()
        Draft(draft.file)
