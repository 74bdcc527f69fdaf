"""The headline of a player's page: one sentence in the second person, about what the game wants of this player now."""

from __future__ import annotations

from collections.abc import Iterator

from croupier.game_views.offers import Offers
from croupier.game_views.open_hands import hands_due
from croupier.game_views.story import Story
from croupier.game_views.view import TableView, round_winner
from croupier.i18n import _, ngettext
from croupier.table_api.live_table import LiveTableState

_DRAW_FOUR = 4


def player_headline(story: Story, view: TableView, offers: Offers, table: LiveTableState, number: int) -> str:
    """Return the sentence for the player of the seat ``number`` at the live table, which ``view`` shows as it is now.

    What the player alone has to do goes before whose turn it is; what concerns all is said as on the big screen.
    """
    return next(_sentences(story, view, offers, table, number), view.headline)


def _sentences(story: Story, view: TableView, offers: Offers, table: LiveTableState, number: int) -> Iterator[str]:
    """Yield the sentences that hold, the most urgent first."""
    position, seat, names = view.moment.position, view.seats[number], view.moment.names
    phase = position["phase"]
    if phase in ("paused", "game_over"):
        winner = story.winner_at(view.moment) if phase == "game_over" else None
        if winner is not None and winner.seat == number:
            yield _("You have won the game")
        return
    if seat.is_out:
        yield _("You are out of this game")
        return
    if seat.owes:
        yield ngettext("You owe {n} card: take it", "You owe {n} cards: take them", seat.owes)
    if "acted" in offers.keys:
        yield _("Do what the house rule asks, then press Done!")
    if offers.rulable:
        yield _("Make a rule for {number}, or none", number=", ".join(map(str, offers.rulable)))
    match phase:
        case "deal" if position["dealer"] == number and not table.has_shoe:
            n = story.header.ruleset.hand_size(len(story.header.seats))
            yield ngettext("You deal: {n} card to each seat", "You deal: {n} cards to each seat", n)
        case "upcard" if position["dealer"] == number:
            yield _("Turn up the first card")
        case "challenge" if view.duel is not None:
            yield from _duel(*view.duel, number, names)
        case "challenge" if seat.is_on_turn and position["turn"] is not None and view.top is not None:
            n = position.get("stack", 0) or _DRAW_FOUR
            name = names[position["turn"]]
            yield _("{name} played {card}: take {n}, or challenge", name=name, card=view.top.sign, n=n)
        case "round_over":
            yield from _open_hands(story, view, hands_due(story, table), number)
        case "stack" if seat.is_on_turn and story.header.ruleset.value("stack.bounce") != "no":
            yield _("Answer, or take {n}", n=seat.may_take)
        case _ if seat.is_on_turn:
            yield _on_turn(view, offers, seat.may_take)
        case _ if view.on_turn is not None and len(view.in_turn) > 1 and view.is_played:
            following = [one for one in view.in_turn[1:] if not one.is_out]
            if phase in ("turn", "drawn") and following and following[0].number == number:
                yield _("{name}’s turn, then yours", name=view.on_turn.name)


def _on_turn(view: TableView, offers: Offers, may_take: int) -> str:
    match view.moment.position["phase"]:
        case "drawn" if "pass" in offers.keys:
            return _("Drawn: play it or pass")
        case "drawn":
            return _("Drawn: play it, or draw again")
        case "color":
            return _("Choose the color")
        case "stack":
            return _("Answer with a draw card, or take {n}", n=may_take)
        case "swap":
            return _("Choose who swaps hands with you")
        case "target":
            return _("Choose who draws the cards")
        case "discard":
            return _("Lay all your cards of this color under it")
        case "roulette":
            return _("Turn up cards until the color comes, and take them")
        case _:
            return _to_match(view)


def _to_match(view: TableView) -> str:
    """What the player on turn may lay: a color, and the symbol of the up-card unless that is a wild."""
    if view.color is None or view.top is None or view.top.color == "unknown":
        return _("Your turn")
    color = view.color_sign.name if view.color_sign is not None else view.color
    if view.top.color == "wild":
        return _("Your turn: match {color}", color=color)
    return _("Your turn: match {color} or {symbol}", color=color, symbol=view.symbol)


def _duel(shows: int, sees: int, number: int, names: tuple[str, ...]) -> Iterator[str]:
    """The sentences of a challenge: ``shows`` lays the hand open, ``sees`` looks at it."""
    if number == shows:
        yield _("Show your hand to {name}", name=names[sees])
    elif number == sees:
        yield _("{name} shows you the hand", name=names[shows])


def _open_hands(story: Story, view: TableView, left: tuple[int, ...], number: int) -> Iterator[str]:
    """The sentences at the end of a round: whose hand is next, and where the own one comes."""
    names = view.moment.names
    if left and left[0] == number:
        yield _("Lay your hand open")
    elif number in left:
        yield _("Lay your hand open: {name} first, then you", name=names[left[left.index(number) - 1]])
    if round_winner(story, view.moment) == number:
        yield _("You win the round")
