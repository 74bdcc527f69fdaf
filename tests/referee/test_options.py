"""What a table agrees on before play: comes back from the header's text as it went in, or is refused in one line."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.errors import BadLog
from croupier_rules.referee import Explainer, Header, Options, Referee, Written, parse_header
from croupier_rules.rules import load

SEATS = ("Ann", "Ben", "Cat")

written = st.builds(Written, text=st.text(), draw=st.integers(0, 9), skip=st.booleans(), again=st.booleans())
deals = st.sampled_from(["next", "winner", "same"])


def at(ruleset: str, **more: Any) -> dict[str, Any]:
    """A header as it stands in a log."""
    return {"log": "croupier/1", "ruleset": ruleset, "seats": list(SEATS), "dealer": 2, **more}


@given(st.none() | written, deals, st.none() | st.integers(1, 900))
def test_what_is_written_on_the_blanks_comes_back(custom: Written | None, deal: str, target: int | None) -> None:
    options = Options(custom=custom, deal=deal, target=target)
    header = Header(ruleset=load("official-el"), seats=SEATS, dealer=2, options=options)
    assert parse_header(json.dumps(header.to_json())) == header


def test_people_hear_what_is_written_on_a_blank() -> None:
    header = parse_header(at("official-el", options={"custom": "hop\x1b"}))
    assert Explainer(header).card("wild-blank").endswith(" (hop�)")
    assert "(" not in Explainer(header).card("wild")


@pytest.mark.parametrize("own_penalties", [False, True, 3])
def test_agreed_penalties_come_back(own_penalties: bool | int) -> None:
    header = Header(ruleset=load("house-rules-pl"), seats=SEATS, options=Options(own_penalties=own_penalties))
    assert parse_header(json.dumps(header.to_json())) == header


@pytest.mark.parametrize(
    ("ruleset", "said", "told"),
    [
        pytest.param("official-el", {"options": {"custom": 3}}, "custom: expected a JSON object", id="custom-number"),
        pytest.param("official-el", {"options": {"custom": {}}}, "custom: text None: expected a text", id="no-text"),
        pytest.param(
            "official-el",
            {"options": {"custom": {"text": "hop", "effect": {"hop": 1}}}},
            "effect: unknown field 'hop': expected one of draw, skip, again",
            id="effect-of-another-kind",
        ),
        pytest.param(
            "official-el",
            {"options": {"custom": {"text": "hop", "effect": {"skip": 1}}}},
            "skip 1: expected true or false",
            id="skip-of-a-number",
        ),
        pytest.param(
            "official-el", {"options": {"own_penalties": 2}}, "official-el has no rule by which", id="no-house-rules"
        ),
        pytest.param(
            "house-rules-pl", {"options": {"own_penalties": 0}}, "expected a whole number, 1 or more", id="none"
        ),
        pytest.param(
            "house-rules-pl", {"options": {"custom": "x"}}, "house-rules-pl has no blank wilds", id="no-blanks"
        ),
        pytest.param(
            "house-rules-pl", {"given": {"house_rules": {"12": "hop"}}}, "number '12': expected the number", id="number"
        ),
        pytest.param(
            "house-rules-pl",
            {"given": {"house_rules": {str(n): "hop" for n in range(6)}}},
            "6 rules: house-rules-pl has 5",
            id="a-sixth-rule",
        ),
    ],
)
def test_what_the_document_does_not_provide_for_is_refused(ruleset: str, said: dict[str, Any], told: str) -> None:
    with pytest.raises(BadLog) as raised:
        Referee(parse_header(at(ruleset, **said)))
    assert told in str(raised.value)
    assert "\n" not in str(raised.value)
