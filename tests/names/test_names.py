"""The rule for names: what is kept, what is refused and why, and which names look alike."""

from __future__ import annotations

import json
import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier import names
from croupier.errors import BadName, one_line
from croupier.i18n import LANGUAGES, localize, speaking
from croupier.names import TakenNames, count_letters, find_name, name_key, player_name, player_names, shorten
from tests.names.table import ACCEPTED, ALIKE, DIFFERENT, NAMES, REFUSED, Typed


@pytest.mark.parametrize("typed", ACCEPTED, ids=lambda typed: typed.id)
def test_a_name_is_kept_whole_and_the_same_again(typed: Typed) -> None:
    name = player_name(typed.text)
    assert name == typed.kept
    assert player_name(name) == name
    assert name_key(typed.text) == name_key(name)
    assert one_line(name) == name, "a terminal and the broker show it whole"


@pytest.mark.parametrize("typed", REFUSED, ids=lambda typed: typed.id)
def test_a_name_that_some_way_would_spoil_is_refused_with_the_reason(typed: Typed) -> None:
    with pytest.raises(BadName) as refused:
        player_name(typed.text)
    text = str(refused.value)
    assert typed.why in text
    assert text.isprintable()
    assert len(text) < 200


@pytest.mark.parametrize("language", [code for code in LANGUAGES if code != "en"])
@pytest.mark.parametrize("typed", REFUSED, ids=lambda typed: typed.id)
def test_the_reason_is_told_in_the_reader_s_language(typed: Typed, language: str) -> None:
    with pytest.raises(BadName) as refused:
        player_name(typed.text)
    with speaking(language):
        (text,) = localize(refused.value)
    assert text != str(refused.value)
    assert "{" not in text


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_names_that_look_alike_do_not_stand_together(one: str, other: str) -> None:
    for first, second in ((one, other), (other, one)):
        taken = TakenNames()
        taken.add(first)
        with pytest.raises(BadName, match=r"looks like|appears twice"):
            taken.add(second)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_names_that_people_can_tell_apart_stand_together(one: str, other: str) -> None:
    assert player_names([one, other]) == (one, other)


def test_all_names_of_the_table_stand_together() -> None:
    assert player_names(typed.text for typed in ACCEPTED) == tuple(typed.kept for typed in ACCEPTED)


def test_names_of_old_logs_are_compared_though_they_would_be_refused() -> None:
    old = ["\u202eAnn", "A=B", "", "x" * 300, "Zoe\u0308"]
    assert [find_name(name, old) for name in old] == [0, 1, 2, 3, 4]
    assert find_name(" ZO\u00cb", old) == 4
    assert find_name("Zoe", old) is None
    assert find_name("ann", ["Ann", "ANN"]) is None, "two have it"
    assert TakenNames(old).alike("zo\u00eb") == "Zoe\u0308"


@given(st.text(max_size=40) | st.lists(st.sampled_from([one.text for one in NAMES])).map("".join))
def test_any_text_is_a_name_that_stays_or_is_refused(text: str) -> None:
    name_key(text)
    try:
        name = player_name(text)
    except BadName:
        return
    assert player_name(name) == name
    assert unicodedata.is_normalized("NFC", name)
    assert name_key(name) == name_key(text)
    assert 1 <= count_letters(name) <= names.MOST_LETTERS
    assert len(name) <= names.MOST_CHARACTERS
    assert one_line(name) == name
    assert json.loads(json.dumps(name)) == name


@pytest.mark.parametrize(
    ("text", "most", "short"),
    [
        ("Ann", 3, "Ann"),
        ("Annabel", 4, "Ann…"),
        ("👨\u200d👩\u200d👧\u200d👦👍🏽🇩🇪", 3, "👨\u200d👩\u200d👧\u200d👦👍🏽🇩🇪"),
        ("👨\u200d👩\u200d👧\u200d👦👍🏽🇩🇪x", 3, "👨\u200d👩\u200d👧\u200d👦👍🏽…"),
        ("Mary Ann", 6, "Mary…"),
    ],
)
def test_a_name_is_cut_between_letters(text: str, most: int, short: str) -> None:
    assert shorten(text, most) == short


def test_ascii_has_the_same_skeleton_with_and_without_the_table_of_unicode() -> None:
    every = {letter: text for letter, text in names._confusables().items() if letter < 128}
    assert every == names._ASCII_LOOKS
    assert all(names._skeleton(letter + "\u00eb")[:-2] == names._skeleton(letter) for letter in string.ascii_letters)
