"""A score sheet as its page shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from croupier.game_views.podium import Standing
from croupier_rules.cards import KIND
from croupier_rules.rules.card_tables import card_tables
from croupier_tally.score_sheet import Round, ScoreSheet


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """A player of the round that is open: the seat, and what is known of its hand. ``standing``: of its account, where
    the player is the first of it. ``points``: of the hand; None: not shown. ``may_win``: nobody went out yet."""

    seat: int
    name: str
    standing: Standing | None
    is_dealer: bool
    is_out: bool
    went_out: bool
    points: int | None
    is_awaited: bool
    may_win: bool


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A counted round: its points by account, how it stands, and how it was told before."""

    number: int
    points: Mapping[int, int]
    told: RoundText
    before: tuple[RoundText, ...]


@dataclass(frozen=True, slots=True)
class RoundText:
    """Who went out, and by seat the name, the points and the cards (in words) of each hand."""

    went_out: str
    winner: int | None
    hands: Mapping[int, tuple[str, int, str]]


def sheet_view(sheet: ScoreSheet) -> dict[str, Any]:
    """What the template shows of a sheet."""
    story, last = sheet.story, sheet.open_round
    now = story.at(None)
    scores = {one.round: one.points for one in story.scores_at(now)}
    before = [tuple(_text(sheet, one) for one in sheet.versions(place)) for place in range(len(sheet.counted))]
    return {
        "sheet": sheet,
        "story": story,
        "accounts": story.accounts,
        "totals": now.position["scores"],
        "podium": sheet.podium,
        "limit": sheet.target if sheet.target is not None else sheet.header.options.limit,
        "players": _players(sheet),
        "rounds": [
            RoundRow(n, scores.get(n, {}), _text(sheet, one), before[n - 1]) for n, one in enumerate(sheet.counted, 1)
        ],
        "current": last,
        "number": len(sheet.counted) + 1,
        "winner": story.winner_text,
    }


def _players(sheet: ScoreSheet) -> list[PlayerRow]:
    last, awaited, playing = sheet.open_round, sheet.to_show, sheet.playing
    teams = sheet.header.teams or tuple((seat,) for seat in range(len(sheet.names)))
    standings = {teams[one.account][0]: one for one in sheet.podium}
    hands = {} if last is None else last.hands
    cards = card_tables(sheet.header.ruleset.deck)
    # Before the first hand of a round everybody's may come.
    awaited = playing if last is None and sheet.counts_hands else awaited
    return [
        PlayerRow(
            seat=seat,
            name=name,
            standing=standings.get(seat),
            is_dealer=seat == sheet.dealer,
            is_out=seat not in playing,
            went_out=last is not None and last.went_out == seat,
            points=cards.points(map(KIND.__getitem__, hands[seat])) if seat in hands else None,
            is_awaited=seat in awaited,
            may_win=seat in playing and (last is None or last.went_out is None),
        )
        for seat, name in enumerate(sheet.names)
    ]


def _text(sheet: ScoreSheet, told: Round) -> RoundText:
    explainer, tables = sheet.story.explainer, card_tables(sheet.header.ruleset.deck)
    hands = {
        seat: (
            sheet.names[seat],
            tables.points(map(KIND.__getitem__, cards)),
            ", ".join(explainer.card(card.removesuffix("*")) for card in cards),
        )
        for seat, cards in told.hands.items()
    }
    return RoundText("" if told.went_out is None else sheet.names[told.went_out], told.went_out, hands)
