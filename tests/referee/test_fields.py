"""The types of the table log's JSON objects name the fields that there are."""

from __future__ import annotations

from dataclasses import fields

import pytest

from croupier_rules.referee import rulings
from croupier_rules.referee.fields import (
    HeaderFields,
    ObservationFields,
    OptionFields,
    PlayerFields,
    RulingFields,
    VerdictFields,
)
from croupier_rules.referee.header import _FIELDS, _OPTIONS
from croupier_rules.referee.observations import OBSERVATIONS, PlayerChange
from croupier_rules.referee.rulings import Ruling
from croupier_rules.referee.verdict import VERDICT

RULINGS = [one for one in vars(rulings).values() if isinstance(one, type) and issubclass(one, Ruling) and one != Ruling]


def names(kind: type) -> set[str]:
    return {item.name.rstrip("_") for item in fields(kind)}


@pytest.mark.parametrize(
    ("typed", "there_are"),
    [
        pytest.param(HeaderFields, set(_FIELDS), id="header"),
        pytest.param(OptionFields, set(_OPTIONS), id="options"),
        pytest.param(
            ObservationFields, set().union(*map(names, OBSERVATIONS.values())) | {"obs", "uc"}, id="observation"
        ),
        pytest.param(PlayerFields, names(PlayerChange), id="player"),
        pytest.param(
            RulingFields,
            set().union(*map(names, RULINGS)) - {"basis"} | {"ruling", "rule", "reading", "part"},
            id="ruling",
        ),
        pytest.param(VerdictFields, set(VERDICT), id="verdict"),
    ],
)
def test_a_type_has_the_fields_that_are_written(typed: type, there_are: set[str]) -> None:
    assert set(typed.__annotations__) == there_are
