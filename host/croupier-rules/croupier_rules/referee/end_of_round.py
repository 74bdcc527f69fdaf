"""End of a round: going out, scoring, winning the game, and passing on the deal."""

from __future__ import annotations

from croupier_rules.cards import UNKNOWN
from croupier_rules.referee import house
from croupier_rules.referee.rulings import (
    Dealer,
    Draw,
    Eliminated,
    GameOver,
    RoundOver,
    Ruling,
    Rulings,
    Score,
    Warn,
    in_order,
)
from croupier_rules.referee.table import Table, is_dry, run_out
from croupier_rules.referee.transitions import CHALLENGE, GAME_OVER, ROUND_OVER, Transition
from croupier_rules.rules import Basis
from croupier_rules.rules.card_tables import SHUFFLE_HANDS, WILD_DRAW4


def go_out(table: Table, seat: int, effect: int) -> Rulings:
    """The seat laid its last card. A last draw card is still drawn, a last Wild Draw Four may still be challenged."""
    rules = table.constants.rules
    rulings: list[Ruling] = list(house.stop(table)) if table.constants.most_house_rules else []
    table.went_out = seat
    table.phase = ROUND_OVER
    table.catchable = 0
    may_challenge = table.transitions.may_challenge[table.direction][seat]
    is_asked = effect == WILD_DRAW4 and may_challenge.seats != ()
    is_bounced = table.stack > 0 and table.constants.own is not None and effect in table.constants.own.bounces
    is_draw = effect in table.cards.draws
    if (is_draw or is_bounced) and table.cards.effects[effect].reverse:
        table.direction = 1 - table.direction
    if is_draw or is_bounced:
        n, why = table.stack + table.cards.draws.get(effect, 0), table.stacked or table.cards.why[effect]
        if not is_asked:
            source = table.transitions.source(effect, seat, table.direction) if is_draw else seat
            debtor = table.transitions.after[table.direction][source]
            table.stack, table.stacked = 0, ""
            if debtor != seat:
                table.owe(debtor, n)
                rulings.append(Draw(rules.basis("out.last_draw_card"), debtor, n, why))
        elif table.stack:
            table.stack = n
    table.last_served = effect in table.cards.draws
    also = rules.basis("shuffle.hands", "last") if effect == SHUFFLE_HANDS else None
    rulings.append(RoundOver(rules.basis("goal", "round", also=also), seat))
    if table.constants.is_round_the_game:
        rulings.append(won(table, rules.basis("goal"), seat))
    if is_asked:
        table.phase = CHALLENGE
        table.turn = seat
        rulings.append(may_challenge)
    if not table.draw_pile and (table.owing or effect == WILD_DRAW4):
        rulings += run_out(table)
    return (*rulings, *settle(table))


def settle(table: Table) -> Rulings:
    """Count the points as soon as all owed cards are drawn and every hand that counts is known."""
    if not _is_to_be_scored(table) or table.owing or hands_to_show(table):
        return ()
    losers = _losers(table)
    table.scored = True
    if table.constants.options.limit is not None:
        return _eliminate(table, losers, table.constants.options.limit)
    if table.constants.lowest_wins:
        return _count_lowest(table, losers)
    return _count_winner(table, losers)


def _is_to_be_scored(table: Table) -> bool:
    is_open = table.phase == ROUND_OVER and not table.scored
    return is_open and table.went_out != UNKNOWN and table.constants.target is not None


def hands_to_show(table: Table) -> tuple[int, ...]:
    """Return the seats whose hands count in the finished round and are still unknown."""
    if not _is_to_be_scored(table) or table.constants.counts_rounds:
        return ()
    return tuple(seat for seat in _losers(table) if len(table.known[seat]) != table.hands[seat])


def _losers(table: Table) -> tuple[int, ...]:
    """Return the seats whose hands count: all other seats, or the seats of the other teams. Seats that left after the
    round are included."""
    constants, others, players = table.constants, table.transitions.others[table.went_out], table.transitions.players
    if table.out:
        others = tuple(seat for seat, n in enumerate(table.hands) if seat != table.went_out and (n or seat in players))
    if constants.team_of and not constants.lowest_wins:
        return tuple(seat for seat in others if constants.team_of[seat] != constants.team_of[table.went_out])
    return others


def _count_winner(table: Table, losers: tuple[int, ...]) -> Rulings:
    """Credit the winner with the points of the other hands (``score.values``, ``partners.score``)."""
    rules, winner = table.constants.rules, table.went_out
    rule = "score.values"
    if table.constants.team_of:
        rule = "partners.score"
    elif table.last_served:
        rule = "out.last_draw_card.counts"
    account = table.constants.team_of.get(winner, winner)
    points_won = table.cards.points(*[table.known[seat] for seat in losers])
    if table.knocked_out and rules.value("score.knocked_out") != "none":
        points_won += rules.number("score.knocked_out") * table.knocked_out.bit_count()
    if table.constants.counts_rounds:
        rule, points_won = "score.values", 1
    score = _score(table, rule, account, points_won)
    if score.total < (table.constants.target or 0):
        return (score,)
    return (score, won(table, rules.basis("score.target"), winner))


def _count_lowest(table: Table, losers: tuple[int, ...]) -> Rulings:
    """Add the points of each hand to its own seat. At the target the lowest total wins (``score.alt_lowest``)."""
    caught: dict[int, int] = {}
    for seat in losers:
        account = table.constants.team_of.get(seat, seat)
        caught[account] = caught.get(account, 0) + table.cards.points(table.known[seat])
    scores: list[Ruling] = [_score(table, "score.alt_lowest", account, n) for account, n in sorted(caught.items())]
    if max(table.scores) < (table.constants.target or 0):
        return tuple(scores)
    lowest = min(table.scores)
    best = [
        seat for seat in table.transitions.players if table.scores[table.constants.team_of.get(seat, seat)] == lowest
    ]
    is_tie = table.scores.count(lowest) > 1
    return (*scores, won(table, table.constants.rules.basis("score.alt_lowest", "tie" if is_tie else "target"), *best))


def _eliminate(table: Table, losers: tuple[int, ...], limit: int) -> Rulings:
    """Add the points of each hand to its own seat. A seat that reaches the limit is out, until one seat is left
    (``elim.*``)."""
    rules, before = table.constants.rules, table.transitions.players
    scores = [_score(table, "elim.out", seat, table.cards.points(table.known[seat])) for seat in losers]
    gone = [seat for seat in before if table.scores[seat] >= limit]
    rulings: list[Ruling] = [*scores, *(Eliminated(rules.basis("elim.out"), seat) for seat in gone)]
    for seat in gone:
        table.out |= 1 << seat
    table.transitions = table.constants.transitions(table.out)
    left = table.transitions.players
    if len(left) <= 1:
        # Nobody left: the lowest total of those who went together wins.
        lowest = min(table.scores[seat] for seat in before)
        best = left or [seat for seat in before if table.scores[seat] == lowest]
        is_final = len(before) == 2 and len(left) == 1
        basis = rules.basis("elim.final") if is_final else rules.basis("elim.out", "several")
        rulings.append(won(table, basis, *best))
    return tuple(rulings)


def _score(table: Table, rule: str, account: int, won: int) -> Score:
    """GameConstants points to a seat, or to a team where there are teams."""
    table.scores[account] += won
    basis = table.constants.rules.basis(rule, "score")
    if table.constants.team_of:
        return Score(basis, None, account, won, table.scores[account])
    return Score(basis, account, None, won, table.scores[account])


def won(table: Table, basis: Basis, *seats: int) -> GameOver:
    """The game is over; ``seats`` have won, or the one team they are."""
    table.phase = GAME_OVER
    teams = {table.constants.team_of.get(seat) for seat in seats}
    if len(teams) == 1 and None not in teams:
        return GameOver(basis, team=teams.pop())
    return GameOver(basis, seat=seats[0]) if len(seats) == 1 else GameOver(basis, seats=seats)


def follow(table: Table, transition: Transition) -> Rulings:
    """Apply the transition of a card that was answered. After the last card of a hand only the draws of the transition
    apply."""
    table.enter(transition)
    rulings = transition.rulings
    if table.went_out != UNKNOWN:
        table.phase = GAME_OVER if table.constants.is_round_the_game else ROUND_OVER
        rulings = tuple(ruling for ruling in rulings if isinstance(ruling, Draw))
    if not is_dry(table):
        return rulings
    dry = run_out(table)
    return in_order(*rulings, *dry, *(settle(table) if dry else ()))


def next_round(table: Table) -> Rulings:
    """All cards are back in the deck; the deal passes on, unless the table chose otherwise."""
    rules, winner = table.constants.rules, table.went_out
    rulings: Rulings = ()
    if table.knocked_out:
        table.transitions = table.constants.transitions(table.out & ~table.knocked_out)
    if winner != UNKNOWN and not table.scored and table.constants.target is not None:
        rulings = (Warn(rules.basis("score.values"), winner, "not-scored"),)
    dealer = {"winner": winner, "same": table.dealer}.get(table.constants.options.deal)
    if dealer not in table.transitions.players:
        dealer = table.transitions.next_dealer(table.dealer or 0)
    table.dealer = dealer
    table.clear()
    return (*rulings, Dealer(rules.basis("dealer.pick", "next"), dealer))
