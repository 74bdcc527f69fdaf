"""End of a round: going out, scoring, winning the game, and passing on the deal."""

from __future__ import annotations

from croupier.cards import UNKNOWN
from croupier.referee import house
from croupier.referee.rulings import Dealer, Draw, Eliminated, GameOver, RoundOver, Ruling, Rulings, Score, Warn
from croupier.referee.table import Table, run_out
from croupier.referee.transitions import CHALLENGE, GAME_OVER, ROUND_OVER
from croupier.rules import Basis
from croupier.rules.card_tables import CARDS_OF, DRAW2, SHUFFLE_HANDS, WILD_DRAW4, points


def go_out(table: Table, seat: int, effect: int) -> Rulings:
    """The seat laid its last card. A last Draw Two is still drawn, a last Wild Draw Four may still be challenged."""
    rules = table.constants.rules
    rulings: list[Ruling] = list(house.stop(table)) if table.constants.most_house_rules else []
    table.went_out = seat
    table.phase = ROUND_OVER
    table.catchable = 0
    if effect == DRAW2:
        debtor = table.transitions.after[table.direction][seat]
        table.owe(debtor, CARDS_OF[DRAW2])
        rulings.append(Draw(rules.basis("out.last_draw_card"), debtor, CARDS_OF[DRAW2], "draw2"))
    table.last_served = effect in CARDS_OF
    also = rules.basis("shuffle.hands", "last") if effect == SHUFFLE_HANDS else None
    rulings.append(RoundOver(rules.basis("goal", "round", also=also), seat))
    if table.constants.is_round_the_game:
        rulings.append(_won(table, rules.basis("goal"), seat))
    if effect == WILD_DRAW4:
        table.phase = CHALLENGE
        rulings.append(table.transitions.may_challenge[table.direction][seat])
    if not table.draw_pile and (table.owing or effect == WILD_DRAW4):
        rulings += run_out(table)
    return (*rulings, *settle(table))


def settle(table: Table) -> Rulings:
    """Count the points, once what is owed is drawn and every hand that counts is known."""
    if table.phase != ROUND_OVER or table.scored or table.owing:
        return ()
    if table.went_out == UNKNOWN or table.constants.target is None:
        return ()
    losers, known, hands = _losers(table), table.known, table.hands
    for seat in losers:
        if len(known[seat]) != hands[seat]:
            return ()
    table.scored = True
    if table.constants.options.limit is not None:
        return _eliminate(table, losers, table.constants.options.limit)
    if table.constants.options.scoring == "lowest":
        return _count_lowest(table, losers)
    return _count_winner(table, losers)


def _losers(table: Table) -> tuple[int, ...]:
    """The seats whose hands count: all others, or those of the other teams."""
    constants, others = table.constants, table.transitions.others[table.went_out]
    if constants.team_of and constants.options.scoring == "winner":
        return tuple(seat for seat in others if constants.team_of[seat] != constants.team_of[table.went_out])
    return others


def _count_winner(table: Table, losers: tuple[int, ...]) -> Rulings:
    """Who went out gets what the others hold (``score.values``, ``partners.score``)."""
    rules, winner = table.constants.rules, table.went_out
    rule = "score.values"
    if table.constants.team_of:
        rule = "partners.score"
    elif table.last_served:
        rule = "out.last_draw_card.counts"
    account = table.constants.team_of.get(winner, winner)
    won = points(*[table.known[seat] for seat in losers])
    score = _score(table, rule, account, won)
    if score.total < (table.constants.target or 0):
        return (score,)
    return (score, _won(table, rules.basis("score.target"), winner))


def _count_lowest(table: Table, losers: tuple[int, ...]) -> Rulings:
    """Each keeps what it was caught with; at the target the lowest total wins (``score.alt_lowest``)."""
    caught: dict[int, int] = {}
    for seat in losers:
        account = table.constants.team_of.get(seat, seat)
        caught[account] = caught.get(account, 0) + points(table.known[seat])
    scores: list[Ruling] = [_score(table, "score.alt_lowest", account, n) for account, n in sorted(caught.items())]
    if max(table.scores) < (table.constants.target or 0):
        return tuple(scores)
    lowest = min(table.scores)
    best = [
        seat for seat in table.transitions.players if table.scores[table.constants.team_of.get(seat, seat)] == lowest
    ]
    is_tie = table.scores.count(lowest) > 1
    return (*scores, _won(table, table.constants.rules.basis("score.alt_lowest", "tie" if is_tie else "target"), *best))


def _eliminate(table: Table, losers: tuple[int, ...], limit: int) -> Rulings:
    """Each keeps what it was caught with; who reaches the limit is out, until one is left (``elim.*``)."""
    rules, before = table.constants.rules, table.transitions.players
    scores = [_score(table, "elim.out", seat, points(table.known[seat])) for seat in losers]
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
        rulings.append(_won(table, basis, *best))
    return tuple(rulings)


def _score(table: Table, rule: str, account: int, won: int) -> Score:
    """GameConstants points to a seat, or to a team where there are teams."""
    table.scores[account] += won
    basis = table.constants.rules.basis(rule, "score")
    if table.constants.team_of:
        return Score(basis, None, account, won, table.scores[account])
    return Score(basis, account, None, won, table.scores[account])


def _won(table: Table, basis: Basis, *seats: int) -> GameOver:
    """The game is over; ``seats`` have won, or the one team they are."""
    table.phase = GAME_OVER
    teams = {table.constants.team_of.get(seat) for seat in seats}
    if len(teams) == 1 and None not in teams:
        return GameOver(basis, team=teams.pop())
    return GameOver(basis, seat=seats[0]) if len(seats) == 1 else GameOver(basis, seats=seats)


def next_round(table: Table) -> Rulings:
    """All cards are back in the deck; the deal passes on, unless the table chose otherwise."""
    rules, winner = table.constants.rules, table.went_out
    rulings: Rulings = ()
    if winner != UNKNOWN and not table.scored and table.constants.target is not None:
        rulings = (Warn(rules.basis("score.values"), winner, "not-scored"),)
    dealer = {"winner": winner, "same": table.dealer}.get(table.constants.options.deal)
    if dealer not in table.transitions.players:
        dealer = table.transitions.next_dealer(table.dealer or 0)
    table.dealer = dealer
    table.clear()
    return (*rulings, Dealer(rules.basis("dealer.pick", "next"), dealer))
