"""Luck of the cards: how often the cards that a seat had in a round win when players without a plan play them again.

Luck can be computed where every card is known that a seat had: those it laid, and the hands laid open at the end. It is
then played `REPLAYS` times by the referee, by players who lay any card that fits, each seat with the cards it had, from
a dealer chosen by chance. With shuffled cards every seat would win one in as many rounds as there are seats, because no
seat differs from another; what its own cards win beyond that is its luck.

Which of its cards a seat held first and which it drew later is known only where the shoe reads faces, or for cards laid
before its first draw; for the others each replay takes another order. So luck is rather too small than too great.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from random import Random
from threading import Lock, Thread
from typing import Final

from babel.numbers import format_decimal

from croupier.game_views.story import Moment, Story
from croupier.i18n import _, language
from croupier_rules.cards import DECKS, FACES, KIND, PLAIN
from croupier_rules.referee import Header, Observation, Referee, Rulings
from croupier_rules.referee.observations import (
    Accept,
    Color,
    Dealt,
    Discarded,
    Drew,
    Overrule,
    Pass,
    Play,
    Recycled,
    Redealt,
    Shown,
    Swap,
    Upcard,
)
from croupier_rules.referee.rulings import (
    ChooseColor,
    Draw,
    Illegal,
    MayChallenge,
    Recycle,
    Redeal,
    RoundOver,
    Turn,
    Void,
)
from croupier_rules.rules.card_tables import card_tables
from croupier_rules.rules.own_rules import own_rules

_log: Final = logging.getLogger(__name__)

REPLAYS: Final = 100
_LONGEST: Final = 2000
"""Reports after which a replay is given up."""

_AWAITED: Final = (Turn, ChooseColor, MayChallenge, Redeal)


@dataclass(frozen=True, slots=True)
class Deal:
    """The cards of a round, as kinds of `croupier_rules.cards`; it names nobody.

    ``header``: that of the game, with the seats that played; ``up``: the first up-card; ``dealt``: how many cards each
    seat was dealt. By seat: ``ordered``: the cards whose order is known, the first first; ``others``: those that came
    later in some order.
    """

    header: Header
    up: int
    dealt: int
    ordered: tuple[tuple[int, ...], ...]
    others: tuple[tuple[int, ...], ...]


NamedDeal = tuple[tuple[str, ...], Deal | None]
"""Players of a round, by seat, and its cards; None if the cards are not all known."""


def deals_of(story: Story) -> Iterator[NamedDeal]:
    """The rounds of a game in which somebody went out: who played, by seat, and the cards; None where these are not
    all known, or where the table plays rules of its own."""
    rounds: dict[int, list[Moment]] = {}
    for moment in story.standing:
        rounds.setdefault(moment.round, []).append(moment)
    for moments in rounds.values():
        ends = [one for one in moments if any(isinstance(ruling, RoundOver) for ruling in one.rulings)]
        if ends:
            seats = range(len(story.header.seats))
            played = [seat for seat in seats if any(one.position["hands"][seat] for one in moments)]
            yield tuple(ends[-1].names[seat] for seat in played), _deal(story, moments, played)


def _deal(story: Story, moments: Sequence[Moment], played: Sequence[int]) -> Deal | None:
    seats = range(len(story.header.seats))
    dealt, drawn = Counter[int](), Counter[int]()
    seen: dict[int, list[str]] = {seat: [] for seat in seats}
    laid: dict[int, list[str]] = {seat: [] for seat in seats}
    shown: dict[int, list[str]] = {seat: [] for seat in seats}
    first = Counter[int]()
    up = ""
    for one in moments:
        match story.reported(one.n):
            case Dealt(seat=seat, n=n, cards=cards):
                dealt[seat] += n
                seen[seat] += cards
            case Drew(seat=seat, n=n, cards=cards):
                drawn[seat] += n
                seen[seat] += cards
            case Play(card=card) if (actor := one.actor) is not None:
                if not any(isinstance(ruling, Illegal | Void) for ruling in one.rulings):
                    laid[actor].append(card)
                    first[actor] += not drawn[actor]
            case Shown(seat=seat, cards=cards) if one.is_over:
                shown[seat] = [*cards]
            case Upcard(card=card):
                up = card
            case Redealt() | Swap() | Discarded():
                return None
            case Overrule(set=fields) if fields:
                return None
            case _:
                pass
    ordered, others = [], []
    for seat in played:
        n, held = dealt[seat] + drawn[seat], [*laid[seat], *shown[seat]]
        known = first[seat]
        if len(seen[seat]) == n:  # the shoe has read every card
            known, held = n, seen[seat]
        if len(held) != n or not KIND.keys() >= {*held}:
            return None
        kinds = [PLAIN[KIND[card]] for card in held]
        ordered.append(tuple(kinds[:known]))
        others.append(tuple(kinds[known:]))
    rules, sizes = story.header.ruleset, {dealt[seat] for seat in played}
    if up not in KIND or len(sizes) != 1 or own_rules(rules) is not None:
        return None
    names = tuple(f"{place}" for place in range(len(played)))
    header = replace(story.header, seats=names, dealer=0, teams=(), given=None)
    deal = Deal(header, PLAIN[KIND[up]], sizes.pop(), tuple(ordered), tuple(others))
    return deal if _rest(deal) is not None else None


def _rest(deal: Deal) -> list[int] | None:
    """The cards that no seat had; None where the seats had more of a kind than the deck holds: the discard pile was
    shuffled, and dealt again."""
    left = Counter({KIND[face]: n for face, n in DECKS[deal.header.ruleset.deck].items()})
    left.subtract((deal.up, *(kind for cards in (*deal.ordered, *deal.others) for kind in cards)))
    return None if min(left.values()) < 0 else list(left.elements())


def wins_of(deal: Deal) -> tuple[int, ...] | None:
    """How many of `REPLAYS` replays each seat wins, the same each time; None where one comes to no end."""
    random = Random(f"{deal.up} {deal.ordered} {deal.others}")
    rest, seats = _rest(deal), len(deal.ordered)
    assert rest is not None
    begun = [_begin(deal, dealer) for dealer in range(seats)]
    wins = Counter[int]()
    for _replay in range(REPLAYS):
        random.shuffle(rest)
        referee, rulings = begun[random.randrange(seats)]
        winner = _Replay(deal, referee.fork(), rest.copy(), random).play(rulings)
        if winner is None:
            return None
        wins[winner] += 1
    return tuple(wins[seat] for seat in range(seats))


def _begin(deal: Deal, dealer: int) -> tuple[Referee, Rulings]:
    referee = Referee(replace(deal.header, dealer=dealer))
    for seat in range(len(deal.ordered)):
        referee.observe(Dealt(0.0, seat, deal.dealt))
    return referee, referee.observe(Upcard(0.0, FACES[deal.up]))


class _Replay:
    """One replay. The referee does not know the hands."""

    def __init__(self, deal: Deal, referee: Referee, rest: list[int], random: Random) -> None:
        self._referee, self._rest, self._random = referee, rest, random
        self._cards = card_tables(deal.header.ruleset.deck)
        self._hands: list[list[int]] = []
        self._to_come: list[list[int]] = []
        """By seat: the cards that it draws, the first last."""
        for ordered, others in zip(deal.ordered, deal.others, strict=True):
            cards = [*ordered, *random.sample(others, len(others))]
            self._hands.append(cards[: deal.dealt])
            self._to_come.append(cards[: deal.dealt - 1 : -1])
        self._up = self._cards.laid[deal.up]
        self._laid = [deal.up]
        self._t = 0.0

    def play(self, rulings: Rulings) -> int | None:
        """The seat that goes out; None where that takes too long, or something is awaited that is not played here."""
        while self._t < _LONGEST:
            self._draw(rulings)
            match next((one for one in reversed(rulings) if isinstance(one, _AWAITED)), None):
                case Turn(seat=seat):
                    rulings = self._take_turn(seat)
                case ChooseColor(seat=seat):
                    color = self._color(seat)
                    self._up = self._cards.with_color(self._up, color)
                    rulings = self._report(Color(self._t, self._cards.colors[color]))
                case MayChallenge(seats=seats):
                    for seat in seats:
                        rulings = self._report(Accept(self._t, seat))
                        if not any(isinstance(ruling, Void) for ruling in rulings):
                            break
                case Redeal(counts=counts):
                    rulings = self._redeal(counts)
                case _:
                    return None
            for ruling in rulings:
                if isinstance(ruling, RoundOver):
                    return ruling.seat
        return None

    def _report(self, observation: Observation) -> Rulings:
        self._t += 1.0
        return self._referee.observe(observation)

    def _take_turn(self, seat: int) -> Rulings:
        """Lay any card that fits, else draw one and lay that if it fits."""
        hand, playable = self._hands[seat], self._up.playable
        fitting = [kind for kind in hand if playable[kind]]
        if not fitting:
            drawn = self._take(seat, 1)
            if drawn:
                self._mind_the_pile(self._report(Drew(self._t, seat, 1)))
            fitting = [kind for kind in drawn if playable[kind]]
        if not fitting:
            return self._report(Pass(self._t, seat))
        kind = self._random.choice(fitting)
        hand.remove(kind)
        self._laid.append(kind)
        self._up = self._cards.laid[kind]
        return self._report(Play(self._t, FACES[kind], seat))

    def _color(self, seat: int) -> int:
        """A color that the seat holds."""
        colors = map(self._cards.color_of.__getitem__, self._hands[seat])
        held = [color for color in colors if color != self._cards.no_color]
        return self._random.choice(held or range(self._cards.no_color))

    def _redeal(self, counts: Sequence[int]) -> Rulings:
        cards = [kind for hand in self._hands for kind in hand]
        self._random.shuffle(cards)
        rulings: Rulings = ()
        for seat, n in enumerate(counts):
            self._hands[seat], cards = cards[:n], cards[n:]
            if n:
                rulings = self._report(Redealt(self._t, seat, n))
        return rulings

    def _draw(self, rulings: Rulings) -> None:
        """Draw what the referee rules."""
        self._mind_the_pile(rulings)
        for ruling in rulings:
            if isinstance(ruling, Draw):
                left = ruling.n
                while left and (n := len(self._take(ruling.seat, left))):
                    left -= n
                    self._mind_the_pile(self._report(Drew(self._t, ruling.seat, n)))

    def _take(self, seat: int, n: int) -> list[int]:
        """Up to ``n`` cards for a hand: those that the seat drew in the round, then any."""
        taken: list[int] = []
        while len(taken) < n and (pile := self._to_come[seat] or self._rest or max(self._to_come, key=len)):
            taken.append(pile.pop())
        self._hands[seat] += taken
        return taken

    def _mind_the_pile(self, rulings: Rulings) -> None:
        """Shuffle the discard pile, except its top card, when the referee says so."""
        if any(isinstance(ruling, Recycle) for ruling in rulings):
            *self._rest, top = self._laid
            self._laid = [top]
            self._random.shuffle(self._rest)
            self._report(Recycled(self._t))


class _Wins:
    """The `wins_of` many rounds, each worked out once."""

    def __init__(self) -> None:
        self._wins: dict[Deal, tuple[int, ...] | None] = {}
        self._wanted: list[Deal] = []
        self._lock = Lock()
        self._is_at_work = False

    def ask(self, deals: Iterable[Deal], *, wait: bool) -> int:
        """Work these rounds out, the last first, and forget all others; how many are still to be worked out.
        ``wait``: none; otherwise a thread of its own does it."""
        with self._lock:
            asked = dict.fromkeys(deals)
            self._wins = {deal: wins for deal, wins in self._wins.items() if deal in asked}
            self._wanted = [deal for deal in asked if deal not in self._wins]
            starts = bool(self._wanted) and not self._is_at_work
            self._is_at_work |= starts
        if starts and wait:
            self._work()
        elif starts:
            Thread(target=self._work, name="luck", daemon=True).start()
        return sum(deal not in self._wins for deal in asked)

    def get(self, deal: Deal) -> tuple[int, ...] | None:
        """The wins, once they are worked out."""
        return self._wins.get(deal)

    def _work(self) -> None:
        while True:
            with self._lock:
                self._is_at_work = bool(self._wanted)
                if not self._wanted:
                    return
                deal = self._wanted.pop()
            wins = None
            try:
                wins = wins_of(deal)
            except Exception:
                _log.exception("the luck of a round cannot be told")
            with self._lock:
                self._wins[deal] = wins


@dataclass(slots=True)
class PlayerLuck:
    """The luck of a player: how many rounds more than an equal share the cards of ``rounds`` rounds win, and its
    ``error`` (one standard error). For all other rounds it is unknown."""

    luck: float = 0.0
    error: float = 0.0
    rounds: int = 0

    def add(self, share: float, seats: int) -> None:
        """Add a round of which the player's cards win a ``share``."""
        self.luck += share - 1 / seats
        self.error = sqrt(self.error**2 + share * (1 - share) / REPLAYS)
        self.rounds += 1

    def text(self, rounds: int) -> str:
        """For people: in brackets, of how many of the player's ``rounds``."""
        told = f"({self.rounds} / {rounds})"
        if not self.rounds:
            return f"– {told}"
        if abs(self.luck) < 2 * self.error:
            return _("as expected") + f" {told}"
        return f"{format_decimal(self.luck, '+0.0;-0.0', locale=language())} {told}"

    def to_json(self) -> dict[str, float | None]:
        """For machines."""
        return {
            "luck": round(self.luck, 2) if self.rounds else None,
            "luck_error": round(self.error, 2) if self.rounds else None,
            "luck_rounds": self.rounds,
        }


class Luck:
    """Estimates the luck of players. One serves a page or a command for its lifetime. Thread-safe."""

    def __init__(self) -> None:
        self._wins = _Wins()
        self._pending = 0

    def count(
        self, games: Sequence[Sequence[NamedDeal]], players: Iterable[str], *, wait: bool
    ) -> Mapping[str, PlayerLuck]:
        """The luck of each player in these games. ``wait``: until all is worked out; otherwise that is done in another
        thread, for later calls."""
        known = [(names, deal) for deals in games for names, deal in deals if deal is not None]
        self._pending = self._wins.ask((deal for _names, deal in known), wait=wait)
        found = {name: PlayerLuck() for name in players}
        for names, deal in known:
            if (wins := self._wins.get(deal)) is not None:
                for name, n in zip(names, wins, strict=True):
                    found[name].add(n / REPLAYS, len(names))
        return found

    def notes(self) -> tuple[str, str]:
        """Meaning of the column, and the number of rounds that are not replayed yet."""
        meaning = _(
            "Luck of the cards: how many rounds more than an equal share a player’s cards win if players who lay any "
            "card that fits play each round {n} times again. In brackets: of how many rounds all cards are known.",
            n=REPLAYS,
        )
        n = self._pending
        return meaning, _("Rounds still to be replayed: {n}. Load the page again later.", n=n) if n else ""
