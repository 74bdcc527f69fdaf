"""Statistics of players over many games: what each did, and a rating with its uncertainty.

All is counted from the record as it stands: what was undone does not count. A player is known by name. Partners win,
and score, together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any, Final

from babel.numbers import format_decimal
from openskill.models import PlackettLuce

from croupier.errors import BadLog
from croupier.files import put
from croupier.game_views.podium import podium
from croupier.game_views.rounds import FinishedRound
from croupier.game_views.story import Moment, Story
from croupier.i18n import _, language, marked
from croupier.names import name_key
from croupier_extras import spreadsheets
from croupier_extras.statistics.luck import Luck, NamedDeal, PlayerLuck, deals_of
from croupier_extras.statistics.people import People
from croupier_rules.cards import DECKS
from croupier_rules.referee.observations import Drew, Pass, Play, Upcard
from croupier_rules.referee.rulings import Caught, ChallengeOutcome, Draw, GameOver, Illegal, UnoStands
from croupier_rules.rules.card_tables import card_tables

_MODEL: Final = PlackettLuce()
_UNRATED: Final = _MODEL.rating()
_MOST_LEFT_OUT: Final = 1000

_LEARNING: Final = _UNRATED.sigma / 2
"""Above this uncertainty of a rating nobody can say much of it."""

_NIGHT_ENDS: Final = 5
"""The hour of the day to which an evening may last."""

_LARGE: Final = frozenset({"draw4", "draw6", "draw10"})
_FED: Final = frozenset({"innocent", *(why for deck in DECKS for why in card_tables(deck).why.values())})
"""Why somebody draws because of a card that was laid, alone or on a stack; also after a challenge in vain."""

Pair = tuple[str, str]
"""Two players: who did something, and to whom."""

COUNTED: Final = (
    *("games", "games_won", "rounds", "rounds_won", "points"),
    *("played", "drawn", "refused"),
    *("calls", "calls_forgotten", "caught", "catches"),
    *("challenges", "challenges_won", "challenged", "challenged_guilty"),
)
"""Counts of a player. ``rounds_won``: in which the player or the partner went out. ``calls_forgotten``: also
those that nobody noticed. ``challenges``: made by the player; ``challenged``: made of the player's card."""


@dataclass(frozen=True, slots=True)
class GameFigures:
    """One game.

    ``counts``: by player, of `COUNTED`; ``turns_s``: by player, the time (s) from the begin of each turn to the first
    act of the player; ``rounds``: the sides of each round that was won, each with its players, the winner first;
    ``winners``: the players who won the game; ``deals``: what `Luck` needs of the game; ``places``: by player, from 1,
    as of the last round that was counted, empty before; ``caught``: how often the first player caught the second one;
    ``fed``: how often a +4 (or more) of the first made the second draw; ``evening``: the day, None if nobody knows it;
    ``receipt``: the code of the game's receipt, "" before it has one.
    """

    counts: dict[str, Counter[str]]
    turns_s: dict[str, list[float]]
    rounds: tuple[tuple[tuple[str, ...], ...], ...]
    winners: tuple[str, ...] = ()
    is_simulation: bool = False
    deals: tuple[NamedDeal, ...] = ()
    places: dict[str, int] = field(default_factory=dict)
    caught: Counter[Pair] = field(default_factory=Counter)
    fed: Counter[Pair] = field(default_factory=Counter)
    evening: date | None = None
    receipt: str = ""

    @property
    def players(self) -> tuple[str, ...]:
        """The players of the game."""
        return tuple(self.counts)

    def renamed(self, names: Mapping[str, str]) -> GameFigures:
        """The figures of the same game with other ``names``, by those that it has."""

        def rename(side: Iterable[str]) -> tuple[str, ...]:
            return tuple(names.get(name, name) for name in side)

        return replace(
            self,
            counts={names.get(name, name): count for name, count in self.counts.items()},
            turns_s={names.get(name, name): times for name, times in self.turns_s.items()},
            rounds=tuple(tuple(map(rename, sides)) for sides in self.rounds),
            winners=rename(self.winners),
            deals=tuple((rename(players), deal) for players, deal in self.deals),
            places={names.get(name, name): place for name, place in self.places.items()},
            caught=Counter({_pair(rename(pair)): n for pair, n in self.caught.items()}),
            fed=Counter({_pair(rename(pair)): n for pair, n in self.fed.items()}),
        )

    @classmethod
    def of(cls, story: Story, began: float | None = None) -> GameFigures:
        """Count the game of a story. ``began``: in seconds since 1970, None if nobody knows it."""
        evening = None if began is None else evening_of(began)
        return replace(_Count(story).figures(), evening=evening, receipt=story.receipt)


def evening_of(began: float) -> date:
    """The day of an evening: what begins after midnight belongs to the day before. Exactly midnight is a day of which
    no time is known (`croupier.plugins.GameFile`)."""
    at = datetime.fromtimestamp(began, UTC).astimezone()
    return at.date() if at.time() == time() else (at - timedelta(hours=_NIGHT_ENDS)).date()


def _pair(names: Sequence[str]) -> Pair:
    first, second = names
    return first, second


class _Count:
    def __init__(self, story: Story) -> None:
        self._story = story
        self._moments = [story.moments[0], *story.standing]
        self._counts: dict[str, Counter[str]] = {}
        self._turns_s: dict[str, list[float]] = {}
        self._caught: Counter[Pair] = Counter()
        self._fed: Counter[Pair] = Counter()
        self._laid: tuple[int, str] | None = None
        """The seat of the last card that was laid, and the card."""

    def figures(self) -> GameFigures:
        finished = [one for one in self._story.rounds_at(self._moments[-1]) if one.went_out is not None]
        played = {one.names[seat] for one in finished for seat in one.players}
        for now in self._moments:
            played.update(name for name, n in zip(now.names, now.position["hands"], strict=True) if n)
        self._counts = {name: Counter() for name in sorted(played)}
        self._turns_s = {name: [] for name in self._counts}
        for before, now in pairwise(self._moments):
            self._acts(now)
            self._calls(before, now)
        self._times()
        rounds = tuple(map(self._sides, finished))
        winners = self._winners()
        for name, count in self._counts.items():
            count["games"] = 1
            count["games_won"] = int(name in winners)
            count["rounds"] = sum(any(name in side for side in sides) for sides in rounds)
            count["rounds_won"] = sum(name in sides[0] for sides in rounds)
        last = self._moments[-1]
        for account, points in enumerate(last.position["scores"]):
            for name in self._counts.keys() & self._side(account):
                self._counts[name]["points"] = points
        deals = tuple(deals_of(self._story))
        return GameFigures(
            self._counts, self._turns_s, rounds, winners, self._story.is_simulation, deals,
            self._places(finished, winners), self._caught, self._fed,
        )  # fmt: skip

    def _places(self, finished: Sequence[FinishedRound], winners: Sequence[str]) -> dict[str, int]:
        """Each player's place, which ties share, counted in players: partners are first and first, third and third."""
        if any(one.points for one in finished):
            standings = {name: one.place for one in podium(self._story) for name in self._side(one.account)}
        elif winners:  # each round is a game of its own
            standings = {name: int(name not in winners) for name in self._counts}
        else:
            return {}
        better = Counter(standings.values())
        return {
            name: 1 + sum(n for other, n in better.items() if other < place)
            for name, place in standings.items()
            if name in self._counts
        }

    def _acts(self, now: Moment) -> None:
        """Count the cards played and drawn, and what the referee said of the players."""
        refused = {ruling.seat for ruling in now.rulings if isinstance(ruling, Illegal)}
        seat = now.actor
        if isinstance(now.reported, Upcard):
            self._laid = None
        if seat is not None and seat not in refused:
            match now.reported:
                case Play(card=card):
                    self._add(now, seat, "played")
                    self._laid = seat, card
                case Drew(n=n):
                    self._add(now, seat, "drawn", n)
        for ruling in now.rulings:
            match ruling:
                case Illegal():
                    self._add(now, ruling.seat, "refused")
                case Caught():
                    self._add(now, ruling.seat, "caught")
                    self._add(now, ruling.by, "catches")
                    self._caught[now.names[ruling.by], now.names[ruling.seat]] += 1
                case Draw(seat=drawer, why=why) if self._laid is not None:
                    by, card = self._laid
                    if by != drawer and why in _FED and card.rpartition("-")[2] in _LARGE:
                        self._fed[now.names[by], now.names[drawer]] += 1
                case UnoStands():
                    self._add(now, ruling.seat, "calls")
                case ChallengeOutcome():
                    self._add(now, ruling.by, "challenges")
                    self._add(now, ruling.by, "challenges_won", ruling.guilty)
                    self._add(now, ruling.seat, "challenged")
                    self._add(now, ruling.seat, "challenged_guilty", ruling.guilty)

    def _calls(self, before: Moment, now: Moment) -> None:
        """Count a call as forgotten when it was not made and its catch window has closed."""
        called = {ruling.seat for ruling in now.rulings if isinstance(ruling, UnoStands)}
        for seat in set(before.position["catchable"]) - set(now.position["catchable"]) - called:
            self._add(now, seat, "calls_forgotten")

    def _times(self) -> None:
        """Measure each turn from its begin to the first act of the player on turn, without pauses."""
        seat, began, paused = None, 0.0, 0.0
        for before, now in pairwise(self._moments):
            if before.position["phase"] == "paused":
                paused += now.t - before.t
            acts = isinstance(now.reported, Play | Drew | Pass) and now.on_turn == now.actor
            if seat is not None and now.on_turn == seat and acts:
                self._turns_s.setdefault(now.names[seat], []).append(max(0.0, now.t - began - paused))
                seat = None
            on_turn = now.position["turn"] if now.position["phase"] in ("turn", "paused") else None
            if now.position["phase"] == "turn" and on_turn != before.position["turn"]:
                seat, began, paused = on_turn, now.t, 0.0

    def _sides(self, finished: FinishedRound) -> tuple[tuple[str, ...], ...]:
        """The sides of a round, each with its players, the winner first."""
        teams = self._story.header.teams or [(seat,) for seat in range(len(finished.names))]
        sides = [side for side in teams if set(side) & set(finished.players)]
        sides.sort(key=lambda side: finished.went_out not in side)
        return tuple(tuple(finished.names[seat] for seat in side) for side in sides)

    def _winners(self) -> tuple[str, ...]:
        over: GameOver | None = self._story.winner
        if over is None or self._moments[-1].position["phase"] != "game_over":
            return ()
        one = over.seat if over.team is None else over.team
        accounts = over.seats or (() if one is None else (one,))
        return tuple(name for account in accounts for name in self._side(account))

    def _side(self, account: int) -> tuple[str, ...]:
        """The players of an account (a seat, or a team) at the end."""
        teams, names = self._story.header.teams, self._moments[-1].names
        return tuple(names[seat] for seat in teams[account]) if teams else (names[account],)

    def _add(self, moment: Moment, seat: int, what: str, n: int = 1) -> None:
        self._counts.setdefault(moment.names[seat], Counter())[what] += n


@dataclass(slots=True)
class PlayerStatistics:
    """A player over many games.

    ``streak``: games won one after the other, up to now; ``longest_streak``: at best. ``turn_s``: the median time (s)
    of a turn, None without one. ``rating`` ± ``uncertainty``: the strength as of `rate`, which begins at 25 ± 8.3.
    ``luck``: that of the cards, None if it was not asked for. ``receipts``: the days and the receipts of the games, the
    newest first.
    """

    name: str
    counts: Counter[str] = field(default_factory=Counter)
    turn_s: float | None = None
    streak: int = 0
    longest_streak: int = 0
    rating: float = _UNRATED.mu
    uncertainty: float = _UNRATED.sigma
    luck: PlayerLuck | None = None
    receipts: list[tuple[date | None, str]] = field(default_factory=list)

    @property
    def rating_text(self) -> str:
        """The rating for people."""
        if self.uncertainty > _LEARNING:
            return _("about {n}, still learning", n=round(self.rating))
        return _("about {n}", n=round(self.rating))

    def to_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "player": self.name,
            **{what: self.counts[what] for what in COUNTED},
            "turn_s": None if self.turn_s is None else round(self.turn_s, 1),
            "streak": self.streak,
            "longest_streak": self.longest_streak,
            "rating": round(self.rating, 2),
            "uncertainty": round(self.uncertainty, 2),
            **({} if self.luck is None else self.luck.to_json()),
            "receipts": [receipt for _evening, receipt in self.receipts],
        }


Column = tuple[str, Callable[[PlayerStatistics], str]]
COLUMNS: Final[tuple[Column, ...]] = (
    (marked("Rating"), lambda one: one.rating_text),
    (marked("Games won"), lambda one: _of(one, "games_won", "games")),
    (marked("Rounds won"), lambda one: _of(one, "rounds_won", "rounds")),
    (marked("Points"), lambda one: str(one.counts["points"])),
    (marked("Calls forgotten"), lambda one: _of(one, "calls_forgotten", "calls", "calls_forgotten")),
    (marked("Others caught"), lambda one: str(one.counts["catches"]) if one.counts["played"] else "–"),
    (marked("Challenges won"), lambda one: _of(one, "challenges_won", "challenges")),
    (marked("Time per turn"), lambda one: "–" if one.turn_s is None else f"{_decimal(one.turn_s)} s"),
    (marked("Games won in a row"), lambda one: f"{one.streak} ({one.longest_streak})"),
)
"""Column of the table of players: its heading, and its text for a player."""

LUCK: Final[Column] = (marked("Luck of the cards"), lambda one: _luck(one))
"""The column of what `statistics` was given `Luck` for."""


def _decimal(value: float) -> str:
    return str(format_decimal(value, "0.0", locale=language()))


def _luck(player: PlayerStatistics) -> str:
    return "" if player.luck is None else player.luck.text(player.counts["rounds"])


def _of(player: PlayerStatistics, part: str, *wholes: str) -> str:
    whole = sum(player.counts[one] for one in wholes)
    return f"{player.counts[part]} / {whole}" if whole else "–"


def spelled_alike(games: Sequence[GameFigures], people: People) -> Iterator[GameFigures]:
    """The games with each player's name as that of the person, or else as it was spelled last. Who plays against
    somebody of the same name stays."""
    newest = {name_key(name): name for game in games for name in game.players}
    for game in games:
        names = {name: people.spelled(name) or newest[name_key(name)] for name in game.players}
        yield game.renamed(names) if len({*names.values()}) == len(names) else game


def statistics(
    games: Iterable[GameFigures],
    left_out: Iterable[str] = (),
    luck: Luck | None = None,
    *,
    wait: bool = True,
    people: People | None = None,
) -> list[PlayerStatistics]:
    """The players of these games, in the order in which they were played; the best first: who is stronger than the
    others even at the lower end of the uncertainty.

    ``left_out``: players who do not want statistics. Others' figures with them stay. ``luck``: estimates the luck of
    their cards; ``wait``: as of `Luck.count`. ``people``: who is one person under several names, and who was forgotten.
    """
    people = people or People()
    games = [*spelled_alike([*games], people)]
    players: dict[str, PlayerStatistics] = {}
    turns_s: dict[str, list[float]] = {}
    for game in games:
        for name in game.players:
            player = players.setdefault(name, PlayerStatistics(name))
            player.counts += game.counts[name]
            turns_s.setdefault(name, []).extend(game.turns_s[name])
            if game.receipt:
                player.receipts.insert(0, (game.evening, game.receipt))
            if game.winners:
                player.streak = player.streak + 1 if name in game.winners else 0
                player.longest_streak = max(player.longest_streak, player.streak)
    for name, (rating, uncertainty) in rate([sides for game in games for sides in game.rounds]).items():
        players[name].rating, players[name].uncertainty = rating, uncertainty
    if luck is not None:
        for name, one in luck.count([game.deals for game in games], players, wait=wait).items():
            players[name].luck = one
    for name in not_shown(players, left_out, people):
        del players[name]
    for player in players.values():
        player.turn_s = median(turns_s[player.name]) if turns_s[player.name] else None
    return sorted(players.values(), key=lambda player: (3 * player.uncertainty - player.rating, player.name))


def not_shown(names: Iterable[str], left_out: Iterable[str], people: People) -> set[str]:
    """Those of the ``names`` who want no statistics, or were forgotten."""
    gone = {name_key(people.spelled(name) or name) for name in left_out}
    return {name for name in names if name_key(name) in gone or people.is_forgotten(name)}


def rate(rounds: Sequence[tuple[tuple[str, ...], ...]]) -> dict[str, tuple[float, float]]:
    """The strength of each player, and its uncertainty (one standard deviation).

    Each round is a result: its first side won, and the others are equal. The model is Plackett and Luce's, as of
    Weng and Lin, "A Bayesian Approximation Method for Online Ranking", JMLR 12 (2011), by openskill.
    """
    ratings = Ratings()
    for sides in rounds:
        ratings.add(sides)
    return ratings.by_name()


class Ratings:
    """The ratings of players, as of `rate`, after each round."""

    def __init__(self) -> None:
        self._ratings: dict[str, Any] = {}

    def by_name(self) -> dict[str, tuple[float, float]]:
        """The strength of each player now, and its uncertainty."""
        return {name: (rating.mu, rating.sigma) for name, rating in self._ratings.items()}

    def expect(self, sides: tuple[tuple[str, ...], ...]) -> list[float]:
        """The chance of each side to win a round against the others, by what is known now; they sum up to 1."""
        return list(_MODEL.predict_win(self._teams(sides)))

    def add(self, sides: tuple[tuple[str, ...], ...]) -> None:
        """Take in a round; its first side has won."""
        if len(sides) > 1:
            for team in _MODEL.rate(self._teams(sides), ranks=[1, *[2] * (len(sides) - 1)]):
                self._ratings.update({str(one.name): one for one in team})

    def _teams(self, sides: tuple[tuple[str, ...], ...]) -> list[list[Any]]:
        return [[self._ratings.setdefault(name, _MODEL.rating(name=name)) for name in side] for side in sides]


def to_csv(players: Sequence[PlayerStatistics]) -> str:
    """A table for a spreadsheet, with the names of `PlayerStatistics.to_json` in its first line."""
    rows = [one.to_json() for one in players] or [PlayerStatistics("").to_json()]
    for row in rows:
        row["receipts"] = " ".join(row["receipts"])
    return spreadsheets.to_csv([*rows[0]], [[*row.values()] for row in rows[: len(players)]])


class LeftOut:
    """The players of whom no statistics are made, because they do not want any: a file beside the journal, with a name
    in each line. ``store``: sets one of them; by default in the file."""

    def __init__(self, journal: Path, store: Callable[[str, bool], None] | None = None) -> None:
        self._file = journal.with_name(f"{journal.name}-left-out")
        self._store = store or self._write

    def names(self) -> tuple[str, ...]:
        """The names of these players.

        Raises:
            BadLog: the file cannot be read.
        """
        try:
            return tuple(self._file.read_text("utf-8").splitlines())
        except FileNotFoundError:
            return ()
        except (OSError, UnicodeDecodeError) as err:
            why = err.strerror if isinstance(err, OSError) else "UTF-8"
            raise BadLog(_("{file}: cannot be read: {why}", file=self._file, why=why)) from err

    def set(self, name: str, *, is_out: bool) -> None:
        """Leave a player out, or take the player in again.

        Raises:
            CannotWrite: it cannot be kept. BadLog: the file cannot be read, or is full.
        """
        self._store(" ".join(name.split()), is_out)

    def _write(self, name: str, is_out: bool) -> None:
        names = {one for one in self.names() if name_key(one) != name_key(name)} | ({name} if is_out else set())
        if len(names) > _MOST_LEFT_OUT:
            raise BadLog(_("{file}: it has {most} names already", file=self._file, most=_MOST_LEFT_OUT))
        put(self._file, "".join(f"{one}\n" for one in sorted(names)).encode(), 0o640)  # the page is in the group
