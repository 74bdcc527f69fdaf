"""The header of a table log: the document, the people at the seats, and the agreements before play."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from croupier_rules.errors import BadHeader, BadLog, BadRuleSet, marked
from croupier_rules.referee import checks
from croupier_rules.referee.fields import EffectFields, HeaderFields, OptionFields, PositionFields, WrittenFields
from croupier_rules.rules import RuleSet, load

FORMAT: Final = "croupier/1"
LEAST_SEATS: Final = 2
MOST_SEATS: Final = 10
"""Where the document does not say it (``players.count``); a table has no more in any case."""

_EXAMPLE: Final = '{"log": "croupier/1", "ruleset": "g7942-en", "seats": ["Ann", "Ben"], "dealer": 0}'
_FIELDS: Final = ("log", "ruleset", "seats", "dealer", "teams", "options", "given")
_BY_ROUNDS: Final = "score.values=one-a-round"
_EFFECTS: Final = ("draw", "skip", "again")
_NEEDS: Final = {
    "custom": ("custom.blank", marked("{ruleset} has no blank wilds")),
    "own_penalties": ("house.last_draws", marked("{ruleset} has no rule by which the last player to follow draws")),
}
"""Options that need a rule of the sheet, and what is said where it has none."""
_OPTIONS: Final = ("target", "scoring", "variant", "limit", "deal", "own_penalties", "custom")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """The text on the blank wilds, and the part of it that the referee rules: the next seat takes ``draw`` cards, the
    next seat misses its turn (``skip``), the player of the card plays ``again``. People see to the rest of the text."""

    text: str
    draw: int = 0
    skip: bool = False
    again: bool = False

    @property
    def is_ruled(self) -> bool:
        """True if more follows than from a plain wild."""
        return self.draw > 0 or self.skip or self.again

    def to_json(self) -> WrittenFields:
        """As the option ``custom`` of the table log."""
        fields: WrittenFields = {"text": self.text}
        effect: EffectFields = {"draw": self.draw} if self.draw else {}
        if self.skip:
            effect["skip"] = True
        if self.again:
            effect["again"] = True
        if effect:
            fields["effect"] = effect
        return fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The agreements of the table before play.

    ``target``: points that end the game (``None``: as the document says); ``scoring``: ``winner`` or ``lowest``;
    ``limit``: points at which a seat is eliminated (``None``: nobody is); ``deal``: who deals the next round,
    ``next``, ``winner`` or ``same``; ``own_penalties``: how many cards the last to follow a house rule draws, or
    ``True`` where each rule says its own; ``custom``: what is written on the blank wilds.
    """

    target: int | None = None
    scoring: str = "winner"
    limit: int | None = None
    deal: str = "next"
    own_penalties: bool | int = False
    custom: Written | None = None

    def to_json(self) -> OptionFields:
        """The options as in the table log; what nobody chose is left out."""
        data: OptionFields = {} if self.target is None else {"target": self.target}
        if self.scoring != "winner":
            data["scoring"] = self.scoring
        if self.limit is not None:
            data["variant"], data["limit"] = "elimination", self.limit
        if self.deal != "next":
            data["deal"] = self.deal
        if self.own_penalties is not False:
            data["own_penalties"] = self.own_penalties
        if self.custom is not None:
            data["custom"] = self.custom.to_json()
        return data


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line of a table log. ``dealer`` is ``None`` when the deal is still to be picked. ``given``: the
    position in which the log begins, where that is not the beginning of a game."""

    ruleset: RuleSet
    seats: tuple[str, ...]
    dealer: int | None = None
    teams: tuple[tuple[int, ...], ...] = ()
    options: Options = Options()
    given: PositionFields | None = field(default=None, hash=False)

    def to_json(self) -> HeaderFields:
        """The header as in the table log."""
        data: HeaderFields = {
            "log": FORMAT, "ruleset": self.ruleset.name, "seats": list(self.seats), "dealer": self.dealer
        }  # fmt: skip
        if self.teams:
            data["teams"] = [list(team) for team in self.teams]
        if options := self.options.to_json():
            data["options"] = options
        if self.given is not None:
            data["given"] = self.given.copy()
        return data


def parse_header(line: str | Mapping[str, Any]) -> Header:
    """The header from its line, or from the JSON object that was on it.

    Raises:
        BadLog: it is not a header, or the ruleset forbids a value of it; with the reason.
    """
    data = checks.mapping(checks.loaded(line, _EXAMPLE), "header")
    for name in ("log", "ruleset", "seats", "dealer"):
        if name not in data:
            raise BadLog(f"header: {name} is missing: expected a first line such as {_EXAMPLE}")
    # First of all: a newer form has fields that are unknown here.
    if data["log"] != FORMAT:
        told = checks.shorten(data["log"])
        raise BadLog(f"header: log {told}: expected {FORMAT!r}; use the version of croupier that wrote it")
    checks.known_fields(data, _FIELDS, "header")
    try:
        ruleset = load(checks.text(data["ruleset"], "header: ruleset"))
    except BadRuleSet as err:
        raise BadLog(f"header: {err}") from err
    seats = tuple(checks.text(name, "header: seats: name") for name in checks.array(data["seats"], "header: seats"))
    _count_seats(len(seats), ruleset)
    dealer = None if data["dealer"] is None else checks.seat(data["dealer"], "header: dealer", len(seats))
    given = None if data.get("given") is None else checks.mapping(data["given"], "header: given")
    return Header(
        ruleset=ruleset,
        seats=seats,
        dealer=dealer,
        teams=_teams(data.get("teams"), len(seats), ruleset),
        options=_options(data.get("options"), bool(data.get("teams")), ruleset),
        given=cast("PositionFields | None", given),  # what it says is checked by the referee, who knows the deck
    )


def checked(header: Header) -> Header:
    """The header of a new game, once its rules allow it. Raises as `parse_header`."""
    return parse_header(header.to_json())


def seats_of(ruleset: RuleSet) -> tuple[int, int]:
    """How many seats there are at least, and at most: as the document says, and as the deck has cards for."""
    range_ = str(ruleset.value("players.count"))
    least, most = map(int, range_.split("-")) if "-" in range_ else (LEAST_SEATS, MOST_SEATS)
    return least, min(most, (ruleset.number("deck.size") - 1) // ruleset.number("deal.hand"))


def _count_seats(seats: int, ruleset: RuleSet) -> None:
    least, most = seats_of(ruleset)
    if not least <= seats <= most:
        raise BadLog(f"header: {seats} {'seat' if seats == 1 else 'seats'}: expected {least} to {most}")


def _teams(value: object, seats: int, ruleset: RuleSet) -> tuple[tuple[int, ...], ...]:
    """Teams of two, seated as ``partners.seating`` says: across from each other, or side by side."""
    if value is None or value == []:
        return ()
    if seats % 2 or seats < 4:
        raise BadHeader("teams", marked("partners play in pairs: expected an even number of seats, four or more"))
    teams = tuple(
        tuple(checks.seat(seat, "header: teams: seat", seats) for seat in checks.array(team, "header: teams: team"))
        for team in checks.array(value, "header: teams")
    )
    if sorted(seat for team in teams for seat in team) != list(range(seats)) or {len(team) for team in teams} != {2}:
        raise BadHeader("teams", marked("expected teams of two in which each seat stands once"))
    seating = ruleset.value("partners.seating")
    if seating == "none":
        raise BadHeader("teams", marked("{ruleset} knows no partners"), ruleset=ruleset.name)
    apart = {seats // 2} if seating == "across" else {1, seats - 1}
    if not all(abs(a - b) in apart for a, b in teams):
        quote = ruleset.basis("partners.seating").quote
        raise BadHeader(
            "teams", marked("{ruleset} seats partners otherwise: “{quote}”"), ruleset=ruleset.name, quote=quote
        )
    return teams


def teams_seated(ruleset: RuleSet, seats: int) -> tuple[tuple[int, int], ...]:
    """Teams of two as the document seats them (``partners.seating``): across from each other, or side by side."""
    if ruleset.value("partners.seating") == "across":
        return tuple((seat, seat + seats // 2) for seat in range(seats // 2))
    return tuple((seat, seat + 1) for seat in range(0, seats - 1, 2))


def _options(value: object, has_teams: bool, ruleset: RuleSet) -> Options:
    data = checks.mapping({} if value is None else value, "header: options")
    checks.known_fields(data, _OPTIONS, "header: options")
    for name, (rule, refusal) in _NEEDS.items():
        if name in data and ruleset.value(rule) == "none":
            raise BadHeader(name, refusal, ruleset=ruleset.name)
    scoring = checks.one_of(data.get("scoring", "winner"), ("winner", "lowest"), "header: option scoring")
    if scoring == "lowest" and ruleset.value("score.alt_lowest") == "none":
        raise BadHeader("scoring", marked("{ruleset} has no game that the lowest total wins"), ruleset=ruleset.name)
    counts_rounds = ruleset.value("score.values") == "one-a-round"
    if counts_rounds and ("variant" in data or scoring == "lowest"):
        field = "variant" if "variant" in data else "scoring"
        raise BadHeader(
            field, marked("{rule} counts rounds: expected no elimination, no lowest total"), rule=_BY_ROUNDS
        )
    if "variant" in data and ruleset.value("score.alt_lowest") == "played":
        rule = "score.alt_lowest=played"
        raise BadHeader("variant", marked("{rule}: the lowest total wins: expected no elimination"), rule=rule)
    target = data.get("target")
    has_target = ruleset.is_chosen("score.target") and ruleset.value("goal") == "points"
    if counts_rounds and target is None and not has_target:
        raise BadHeader("target", marked("{rule}: expected with it a target, the rounds to be won"), rule=_BY_ROUNDS)
    return Options(
        target=None if target is None else checks.whole(target, "header: option target", 1),
        scoring=scoring,
        limit=_limit(data, has_teams, ruleset),
        deal=checks.one_of(data.get("deal", "next"), ("next", "winner", "same"), "header: option deal"),
        own_penalties=_own_penalties(data.get("own_penalties", False)),
        custom=_written(data["custom"]) if data.get("custom") is not None else None,
    )


def _own_penalties(value: object) -> bool | int:
    """``true``: each house rule says its own; or how many cards the last draws."""
    if isinstance(value, int) and (isinstance(value, bool) or value >= 1):
        return value
    raise BadHeader("own_penalties", marked("expected a whole number, 1 or more, true or false"))


def _written(value: object) -> Written:
    """Read the text on the blank wilds: a text, or an object with ``text`` and ``effect``."""
    what = "header: option custom"
    if isinstance(value, str):
        return Written(text=value)
    data = checks.mapping(value, what)
    checks.known_fields(data, ("text", "effect"), what)
    effect = checks.mapping(data.get("effect", {}), f"{what}: effect")
    checks.known_fields(effect, _EFFECTS, f"{what}: effect")
    return Written(
        text=checks.text(data.get("text"), f"{what}: text"),
        draw=checks.whole(effect.get("draw", 0), f"{what}: effect: draw"),
        skip=checks.truth(effect.get("skip", False), f"{what}: effect: skip"),
        again=checks.truth(effect.get("again", False), f"{what}: effect: again"),
    )


def _limit(options: Mapping[str, Any], has_teams: bool, ruleset: RuleSet) -> int | None:
    if "variant" not in options:
        if "limit" in options:
            raise BadLog('header: option limit: expected with it "variant": "elimination"')
        return None
    checks.one_of(options["variant"], ("elimination",), "header: option variant")
    if ruleset.value("elim.out") == "none":
        raise BadHeader("variant", marked("{ruleset} has no game with elimination"), ruleset=ruleset.name)
    if has_teams:
        raise BadHeader("variant", marked("with elimination everybody plays alone: expected no partners"))
    # "a designated amount, possibly 500" (g7942, elim.out)
    return checks.whole(options.get("limit", 500), "header: option limit", 1)
