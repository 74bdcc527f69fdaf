"""The JSON objects of the table log as types: what `Header.to_json`, `Ruling.to_json` and `Referee.position` return.

Their keys and values are those of the contract. Which of the optional fields an observation or a ruling has, its class
says (`observations`, `rulings`); here is what each of them means wherever it stands.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class CitedFields(TypedDict):
    """What a ruling rests on: a rule id, and the part of the rule that decides, where that is not the whole."""

    rule: str | None
    part: NotRequired[str]


class RememberedFields(TypedDict, total=False):
    """What the referee remembers beside what the other fields of a position say (docs/referee.md). A part is left out
    where there is nothing of it.

    Of the turn: ``turn_by`` and ``skipped_by`` (by seat as text) cite what gave it to a seat, and what took it from
    another; ``last_turn`` is the seat that was on turn last, where nobody is. ``drawn``: the card drawn in this turn
    (or turned up last), ``held``: the faces that were known before, ``drew_by_need``: whether the seat had nothing to
    lay; ``turned_up``: how many cards it turned up, or drew where a turn has a greatest number of draws. ``picks``: by
    seat the card picked, ``?`` where none is yet, ``null`` where the seat is not asked. ``under``: the ``top`` and
    ``color`` before the up-card; ``is_first_wild``: it is the starter card. Of a Wild Draw Four: who challenged it
    (``challenger``), and how many cards its seat drew ``since_touch``, which of them were seen, and what was known of
    the hand before. ``stacked``: the reason of a stack; ``to_deal``: by seat the cards to come after Shuffle Hands.
    ``laid`` and ``begun``: who laid the last card, and with which report the turn began. ``rule_card``, ``running``,
    ``acted``: who may make a house rule, which one runs, who obeyed it. ``went_out``, ``last_served``, ``scored``: the
    end of the round. ``touched`` (by seat), ``catch``, ``closed``, ``saved``, ``early``, ``penalty_drawn``, ``watch``:
    the reports with which a press of a button may be tied. ``seen``: how many cards of each face lie under the up-card,
    as far as they were seen.
    """

    turn_by: dict[str, CitedFields]
    skipped_by: dict[str, CitedFields]
    last_turn: int
    under: dict[str, str | None]
    drawn: str
    held: list[str]
    drew_by_need: bool
    turned_up: int
    picks: list[str | None]
    is_first_wild: bool
    challenger: int
    since_touch: dict[str, Any]
    to_deal: list[int]
    stacked: str
    laid: dict[str, Any]
    begun: dict[str, Any]
    rule_card: dict[str, Any]
    running: int
    acted: list[dict[str, Any]]
    went_out: int
    last_served: bool
    scored: bool
    touched: dict[str, Any]
    catch: dict[str, Any]
    closed: dict[str, Any]
    saved: dict[str, Any]
    early: dict[str, Any]
    penalty_drawn: bool
    watch: bool
    seen: dict[str, int]


class PositionFields(TypedDict, total=False):
    """A position as the JSON object of the table log. `Referee.position` has all fields but `OPTIONAL_FIELDS`; as
    ``given`` and in an overrule, where any field may be left out, the others follow from it.

    ``phase``: one of the phases of the turn cycle, or ``paused``; ``resumes``: the phase before the pause. ``top``: the
    up-card, ``None`` if it is not known. ``hands``: cards in hand by seat; ``known``: faces in hand, ``owed``: cards
    owed, both by seat as text. ``called``: who has called uno, ``catchable``: who may be caught, ``out``: who does not
    play any more, ``knocked_out``: those of them who were put out in this round. ``scores``: by seat or team.
    ``stack``: cards that the draw cards laid on each other make draw. ``house_rules``: by number as text.
    ``remembered``: what none of these says; a position with it, given back, leads to the same state in every respect.
    """

    phase: str
    resumes: str
    dealer: int | None
    turn: int | None
    direction: str
    top: str | None
    color: str | None
    hands: list[int]
    known: dict[str, list[str]]
    draw_pile: int
    discard_pile: int
    owed: dict[str, int]
    called: list[int]
    catchable: list[int]
    house_rules: dict[str, str]
    scores: list[int]
    out: list[int]
    stack: int
    knocked_out: list[int]
    remembered: RememberedFields


class EffectFields(TypedDict, total=False):
    """The enforced part of the text on a blank wild, as in `Written`."""

    draw: int
    skip: bool
    again: bool


class WrittenFields(TypedDict):
    """The text on the blank wilds: the option ``custom``."""

    text: str
    effect: NotRequired[EffectFields]


class OptionFields(TypedDict, total=False):
    """The options of a header, as in `Options`; ``variant`` is ``elimination`` with a ``limit``."""

    target: int
    scoring: str
    variant: Literal["elimination"]
    limit: int
    deal: str
    own_penalties: bool | int
    custom: WrittenFields


class HeaderFields(TypedDict):
    """The first line of a table log. ``log``: its format; ``ruleset``: the name of the rules; ``dealer``: ``None``
    while the deal is still to be picked."""

    log: str
    ruleset: str
    seats: list[str]
    dealer: int | None
    teams: NotRequired[list[list[int]]]
    options: NotRequired[OptionFields]
    given: NotRequired[PositionFields]


PlayerFields = TypedDict("PlayerFields", {"does": str, "seat": int, "with": NotRequired[int], "name": NotRequired[str]})
"""A change of players, as in `PlayerChange`."""

ObservationFields = TypedDict(
    "ObservationFields",
    {
        "obs": str,
        "t": float,
        "u": NotRequired[float],
        "clock": NotRequired[str],
        "uc": NotRequired[float],
        "seat": NotRequired[int],
        "card": NotRequired[str],
        "cards": NotRequired[list[str]],
        "n": NotRequired[int],
        "color": NotRequired[str],
        "with": NotRequired[int],
        "number": NotRequired[int],
        "text": NotRequired[str],
        "device": NotRequired[str],
        "kind": NotRequired[str | int],
        "undo": NotRequired[int],
        "set": NotRequired[PositionFields],
        "player": NotRequired[PlayerFields],
    },
)
"""An observation. ``t`` ± ``u``: when it happened (s); ``clock``: the clock that stamped it, with its own error ``uc``;
``with``: the other seat; ``kind``: a kind of fault, or the kind of deck that an exit camera saw."""

RulingFields = TypedDict(
    "RulingFields",
    {
        "ruling": str,
        "rule": str | None,
        "reading": NotRequired[Literal["proposed"]],
        "part": NotRequired[str],
        "about": NotRequired[str],
        "by": NotRequired[int],
        "card": NotRequired[str],
        "color": NotRequired[str],
        "counts": NotRequired[list[int]],
        "direction": NotRequired[str],
        "expected": NotRequired[int],
        "from": NotRequired[int],
        "guilty": NotRequired[bool],
        "hands": NotRequired[list[int]],
        "n": NotRequired[int],
        "number": NotRequired[int],
        "on": NotRequired[int],
        "owed": NotRequired[int],
        "points": NotRequired[int],
        "seat": NotRequired[int],
        "seats": NotRequired[list[int]],
        "seen": NotRequired[int],
        "state": NotRequired[str],
        "team": NotRequired[int],
        "text": NotRequired[str],
        "to": NotRequired[int | str],
        "total": NotRequired[int],
        "waits": NotRequired[str],
        "what": NotRequired[str],
        "why": NotRequired[str],
    },
)
"""A ruling. ``rule``: the id of the rule it rests on, ``None`` where no document speaks; ``part``: the part of its
sentence, where a verdict names one; ``reading``: that it is a proposed one; ``to``: a seat, or where a card goes;
``waits``: the phase in which the table waits, ``on``: the seat for which."""


class VerdictFields(TypedDict):
    """What the table adds to the line of an observation, as `verdict` explains; ``changed``: a field that has ended is
    ``None``."""

    rulings: list[RulingFields]
    changed: dict[str, object]
    to_show: NotRequired[list[int]]
