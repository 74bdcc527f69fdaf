"""The family ladder: who wins the evenings, of a year and of all years.

An evening is the games of one day; what begins after midnight belongs to the day before. The places of its games, as
of the last round that was counted, give its own order like a table of medals: who has more first places is better, then
who has more second ones, and so on. The evenings give the ladder in the same way. Who is as good shares a place, and
the next place is left out then: 1, 2, 2, 4.

Luck is what the ratings did not expect: before each round they give each side a chance to win it; what a player wins
beyond the sum of these chances is luck, or what was learned lately. Over all players it is always nought.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from babel.dates import format_date

from croupier.i18n import _, language, marked, ngettext
from croupier_extras.statistics.figures import GameFigures, Pair, Ratings, not_shown, spelled_alike
from croupier_extras.statistics.people import People

MOST_PAIRS: Final = 12
"""Pairs that are listed, those with most first."""


@dataclass(frozen=True, slots=True)
class Evening:
    """An evening of one player: the ``day``, None if nobody knows it; the ``place`` from 1; the rounds that the player
    won, of all in which the player took part."""

    day: date | None
    place: int
    rounds_won: int
    rounds: int


@dataclass(slots=True)
class LadderEntry:
    """A player on the ladder. ``place`` from 1, which ties share; ``luck``: rounds won beyond those expected."""

    name: str
    place: int = 0
    evenings: list[Evening] = field(default_factory=list)
    luck: float = 0.0

    @property
    def places(self) -> Counter[int]:
        """By place: how many evenings ended with it."""
        return Counter(one.place for one in self.evenings)

    @property
    def streak(self) -> int:
        """The player's own evenings won one after the other, up to the last one."""
        return next((n for n, one in enumerate(reversed(self.evenings)) if one.place > 1), len(self.evenings))

    @property
    def longest_streak(self) -> int:
        """The same, at best."""
        best = now = 0
        for one in self.evenings:
            now = now + 1 if one.place == 1 else 0
            best = max(best, now)
        return best

    @property
    def best(self) -> Evening:
        """The evening on which the player won most rounds; of several the one with the better place, then the one with
        fewer rounds, then the first."""
        return max(self.evenings, key=lambda one: (one.rounds_won, -one.place, -one.rounds))

    def to_json(self) -> dict[str, Any]:
        """For machines."""
        best = self.best
        return {
            "place": self.place,
            "player": self.name,
            "evenings": len(self.evenings),
            "places": {str(place): n for place, n in sorted(self.places.items())},
            "streak": self.streak,
            "longest_streak": self.longest_streak,
            "best_evening": None if best.day is None else best.day.isoformat(),
            "best_rounds_won": best.rounds_won,
            "best_rounds": best.rounds,
            "luck_rounds": round(self.luck, 2),
        }


@dataclass(frozen=True, slots=True)
class Ladder:
    """The ladder of a ``year`` (None: of all games). ``years``: those with games, the newest first; ``caught`` and
    ``fed``: how often the first player did it to the second, as of `GameFigures`; most first."""

    entries: tuple[LadderEntry, ...]
    year: int | None = None
    years: tuple[int, ...] = ()
    caught: tuple[tuple[Pair, int], ...] = ()
    fed: tuple[tuple[Pair, int], ...] = ()


def ladder(
    games: Iterable[GameFigures],
    year: int | None = None,
    left_out: Iterable[str] = (),
    people: People | None = None,
) -> Ladder:
    """The ladder of these games, in the order in which they were played. ``year``: only that one; ``left_out`` and
    ``people``: as of `croupier_extras.statistics.figures.statistics`. Who is not shown keeps the place, for the others.
    """
    people = people or People()
    ranked = [game for game in spelled_alike([*games], people) if game.places]

    def is_chosen(game: GameFigures) -> bool:
        return year is None or (game.evening is not None and game.evening.year == year)

    chosen = [game for game in ranked if is_chosen(game)]
    entries: dict[str, LadderEntry] = {}
    for evening in _by_evening(chosen):
        for name, one in _results(evening).items():
            entries.setdefault(name, LadderEntry(name)).evenings.append(one)
    for name, place in _medal_places({name: entry.places for name, entry in entries.items()}).items():
        entries[name].place = place
    ratings = Ratings()
    for game in ranked:
        for sides in game.rounds:
            if is_chosen(game):
                for name, luck in _luck(ratings, sides):
                    if name in entries:
                        entries[name].luck += luck
            ratings.add(sides)
    hidden = not_shown({*entries, *(name for game in chosen for name in game.players)}, left_out, people)
    shown = [entry for name, entry in entries.items() if name not in hidden]
    return Ladder(
        tuple(sorted(shown, key=lambda entry: (entry.place, entry.name))),
        year,
        years_of(ranked),
        _most(chosen, lambda game: game.caught, hidden),
        _most(chosen, lambda game: game.fed, hidden),
    )


def years_of(games: Iterable[GameFigures]) -> tuple[int, ...]:
    """The years with games that have places, the newest first."""
    return tuple(sorted({one.evening.year for one in games if one.places and one.evening is not None}, reverse=True))


def _by_evening(games: Iterable[GameFigures]) -> Iterator[list[GameFigures]]:
    """The games of each evening, the first evening first; a game of which nobody knows the day is one of its own."""
    evenings: dict[object, list[GameFigures]] = {}
    for n, game in enumerate(games):
        evenings.setdefault(n if game.evening is None else game.evening, []).append(game)
    yield from evenings.values()


def _results(games: Sequence[GameFigures]) -> dict[str, Evening]:
    """The evening of each player."""
    places: dict[str, Counter[int]] = {}
    rounds: dict[str, list[int]] = {}
    for game in games:
        for name, place in game.places.items():
            places.setdefault(name, Counter())[place] += 1
            won = rounds.setdefault(name, [0, 0])
            won[0] += game.counts[name]["rounds_won"]
            won[1] += game.counts[name]["rounds"]
    return {
        name: Evening(games[0].evening, place, *rounds[name]) for name, place in _medal_places(places).items()
    }  # fmt: skip


def _medal_places(places: Mapping[str, Mapping[int, int]]) -> dict[str, int]:
    """The place of each, by the number of first places, then of second ones, and so on."""
    last = max((place for one in places.values() for place in one), default=0)
    medals = {name: tuple(one.get(place, 0) for place in range(1, last + 1)) for name, one in places.items()}
    return {name: 1 + sum(other > own for other in medals.values()) for name, own in medals.items()}


def _luck(ratings: Ratings, sides: tuple[tuple[str, ...], ...]) -> Iterator[tuple[str, float]]:
    """What each player of a round won beyond what was expected, of one round; partners share it."""
    if len(sides) > 1:
        for n, (side, chance) in enumerate(zip(sides, ratings.expect(sides), strict=True)):
            yield from ((name, ((n == 0) - chance) / len(side)) for name in side)


def _most(
    games: Iterable[GameFigures], pairs: Callable[[GameFigures], Counter[Pair]], hidden: set[str]
) -> tuple[tuple[Pair, int], ...]:
    """The pairs with most, without those of whom one is hidden."""
    total = sum(map(pairs, games), Counter[Pair]())
    shown = [(pair, n) for pair, n in total.items() if not hidden & {*pair}]
    return tuple(sorted(shown, key=lambda one: (-one[1], one[0])))[:MOST_PAIRS]


def _evenings(entry: LadderEntry, place: int) -> str:
    return _("{n} of {all}", n=entry.places[place], all=len(entry.evenings))


def _in_a_row(entry: LadderEntry) -> str:
    if entry.streak > 1:
        return ngettext("{n} evening", "{n} evenings", entry.streak)
    if entry.longest_streak > 1:
        return _("earlier: {n}", n=entry.longest_streak)
    return "–"


def _best(entry: LadderEntry) -> str:
    one = entry.best
    rounds = ngettext("{won} of {n} round", "{won} of {n} rounds", one.rounds, won=one.rounds_won)
    return rounds if one.day is None else f"{format_date(one.day, 'medium', locale=language())}: {rounds}"


def luck_text(rounds: float) -> str:
    """Luck for people: whole rounds."""
    n = abs(round(rounds))
    if not n:
        return _("as expected")
    if rounds > 0:
        return ngettext("about {n} round more", "about {n} rounds more", n)
    return ngettext("about {n} round fewer", "about {n} rounds fewer", n)


COLUMNS: Final[tuple[tuple[str, Callable[[LadderEntry], str]], ...]] = (
    (marked("Evenings won"), lambda one: _evenings(one, 1)),
    (marked("Second places"), lambda one: str(one.places[2])),
    (marked("Third places"), lambda one: str(one.places[3])),
    (marked("Evenings won in a row"), _in_a_row),
    (marked("Best evening"), _best),
    (marked("Luck"), lambda one: luck_text(one.luck)),
)
"""Column of the ladder: its heading, and its text for a player."""

PAIRS: Final[tuple[tuple[str, Callable[[Ladder], tuple[tuple[Pair, int], ...]]], ...]] = (
    (marked("Who catches whom without UNO"), lambda one: one.caught),
    (marked("Who gives whom a +4"), lambda one: one.fed),
)
"""Lists of pairs: the heading, and the pairs of a ladder."""


def notes() -> tuple[str, ...]:
    """How it is counted."""
    return (
        _(
            "An evening is the games of one day, until five in the morning. Who has the most first places in its games "
            "wins it; where these are equal, the second places decide, and so on. The ladder counts the evenings in "
            "the same way. An unfinished game counts as it stood after its last round."
        ),
        _(
            "Luck: before each round the rating says how likely each player is to win it. Who wins more rounds than "
            "that was lucky, or has learned something."
        ),
    )
