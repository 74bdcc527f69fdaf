"""Reading of a table log with its verdicts, and redaction of the faces that nobody may see yet.

The table judges each observation once and writes its verdict into the log (`croupier_rules.referee.verdict`).
`LogReader` is the only other place where a game is judged: where a line has no verdict, and where somebody checks it.

Where the shoe reads faces while dealing, the log holds them, because the referee uses them. Code that shows or exports
a log of a round that is not over sends it through `redacted_lines`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, TypedDict

from croupier.errors import BadLine, BadLog
from croupier.journal.log_file import STANDARD_INPUT, Line, opened, read_lines, text_of
from croupier_rules.cards import BACK
from croupier_rules.errors import json_object
from croupier_rules.referee import Header, Observation, Referee, Rulings, parse_header, parse_observation
from croupier_rules.referee.checks import value
from croupier_rules.referee.fields import PositionFields, RulingFields
from croupier_rules.referee.observations import Dealt, Drew, Overrule, Shown, to_json
from croupier_rules.referee.position import HIDDEN_FIELDS, OVER_PHASES, Position
from croupier_rules.referee.verdict import RULINGS, VERDICT, Verdict, VerdictReader


class RecordFields(TypedDict):
    """A record as ``croupier referee --json`` writes it; ``i`` counts observations from 0."""

    i: int
    t: float
    rulings: list[RulingFields]
    position: PositionFields


@value
class Record:
    """One observation of a game and the verdict on it: what the table writes into its journal, and all others read.

    ``n`` counts observations from 1, ``line`` the lines of its file from 1. ``on_turn``: the seat on turn before the
    observation. ``fields``: the position after it, as the table log writes it; without ``known`` where the verdict was
    read. ``to_show``: the seats whose hands must be shown before the points are counted. ``data``: its line of the log,
    the observation with its verdict. ``names``: who sits at each seat, where the observation was judged here.
    """

    n: int
    observation: Observation
    rulings: Rulings
    fields: PositionFields
    on_turn: int | None = None
    line: int = 0
    to_show: tuple[int, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    @property
    def position(self) -> Position:
        """The position after the observation, typed."""
        return Position.from_json(self.fields, self.names)

    def to_json(self) -> RecordFields:
        """The record as ``croupier referee --json`` writes it."""
        return {
            "i": self.n - 1,
            "t": self.observation.t,
            "rulings": [ruling.to_json() for ruling in self.rulings],
            "position": self.fields,
        }


class LogReader:
    """Reads the lines of a game one after the other. What its table has judged is read; a line without a verdict, of an
    old log or one that people wrote, is judged here.

    ``judges``: judge every line here, whatever verdict it has. ``referee`` has the state after the last line that was
    judged here, ``position`` that after the last line, and ``written`` the same by the verdicts of the log.
    """

    def __init__(self, header: Header, *, judges: bool = False) -> None:
        self.header, self._judges = header, judges
        self.last: Record | None = None
        """The record of the last line; None after the header."""
        self.referee = Referee(header)
        self.position = self.referee.position()
        self.written = self.position
        self._verdicts = VerdictReader(header)
        self._seats, self._n, self._t = len(header.seats), 0, float("-inf")
        self._standing = 0
        """The number of observations that may be taken back."""
        self._unjudged: list[Observation] = []
        """The observations that were read with their verdicts since the last that was judged here."""

    def read(self, data: Mapping[str, Any], line: int = 0) -> Record:
        """The record of a line; ``line``: its number.

        Raises:
            BadLog: it is no line of this game.
        """
        observation = parse_observation(data, self._seats)
        on_turn: int | None = self.position["turn"]
        verdict = self._verdict(data) if RULINGS in data else None
        names: tuple[str, ...] = ()
        if verdict is None or self._judges:
            found = self._judged(observation)
            names = self.referee.names
        elif observation.t < self._t:
            raise BadLog(f"t {observation.t} goes back: expected {self._t} or later")
        else:
            found = verdict
            self._unjudged.append(observation)
        self._go_on(observation, found.position)
        self.written = (verdict or found).position
        self.last = Record(
            self._n, observation, found.rulings, found.position, on_turn, line, found.to_show, data, names
        )
        return self.last

    def _verdict(self, data: Mapping[str, Any]) -> Verdict | None:
        try:
            return self._verdicts.read(data, self.written)
        except BadLog:
            if self._judges:
                return None
            raise

    def _go_on(self, observation: Observation, position: PositionFields) -> None:
        if not isinstance(observation, Overrule):
            self._standing += 1
        elif (undo := observation.undo or 0) <= self._standing:
            self._standing -= undo
        else:
            raise BadLog(f"overrule: undo {undo}: expected at most {self._standing}, no more can be taken back")
        self.position, self._t, self._n = position, observation.t, self._n + 1

    @property
    def has_judged(self) -> bool:
        """True if ``referee`` has the state after the last line."""
        return not self._unjudged

    def catch_up(self) -> Referee:
        """The referee with the state after the last line."""
        for earlier in self._unjudged:
            self.referee.observe(earlier)
        self._unjudged.clear()
        return self.referee

    def _judged(self, observation: Observation) -> Verdict:
        rulings = self.catch_up().observe(observation)
        return Verdict(rulings, self.referee.position(), self.referee.hands_to_show)


def replay(name: str, *, judges: bool = False) -> Iterator[Header | Record]:
    """Yield the header of the log ``name`` (``-``: standard input), then a record for each observation as it arrives.

    ``judges``: as in `LogReader`.

    Raises:
        BadLog: the input is not a table log; the text names the file, the line and what was expected.
    """
    with opened(name) as file:
        yield from replay_lines(file, place(name), judges=judges)


def place(name: str) -> str:
    """The name of the log in error texts."""
    return "standard input" if name == STANDARD_INPUT else name


def replay_lines(lines: Iterable[bytes], where: str, *, judges: bool = False) -> Iterator[Header | Record]:
    """Like `replay`, for lines from ``where`` (a name for error texts)."""
    for reader in read_along(lines, where, judges=judges):
        yield reader.last or reader.header


def read_along(lines: Iterable[bytes], where: str, *, judges: bool = False) -> Iterator[LogReader]:
    """Yield the reader of a log after its header and after each line. Raises as `replay`."""
    number = 1
    try:
        read = read_lines(lines)
        reader = LogReader(parse_header(_first(next(read, None)).data), judges=judges)
        yield reader
        for line in read:
            number = line.number
            reader.read(line.data, number)
            yield reader
    except BadLine as err:
        raise BadLog(f"{where}, {err}") from err
    except BadLog as err:
        raise BadLog(f"{where}, line {number}: {err}") from err


def _first(line: Line | None) -> Line:
    if line is None:
        raise BadLog('empty: expected a header, such as {"log": "croupier/1", "ruleset": "g7942-en", …}')
    return line


def first_hidden(records: Iterable[Record], begun: PositionFields) -> int:
    """The index (from 0) of the first record of a round that is not over, in a game that began with the position
    ``begun``; faces from there on stay hidden.

    An undone end of round does not count. Cards dealt since then stay hidden until the round that repeats them is over.
    """
    standing, hidden, is_over = 0, 0, _is_round_over(begun)
    # By round: how many observations stood when it began, and the index of its first observation.
    rounds: list[tuple[int, int]] = [(-1, 0)]
    taken_back: int | None = None
    for i, record in enumerate(records):
        was_over, is_over, observation = is_over, _is_round_over(record.fields), record.observation
        if not isinstance(observation, Overrule):
            if was_over and not is_over:
                rounds.append((standing, i if taken_back is None else taken_back))
                taken_back = None
            standing += 1
        elif observation.undo:
            standing -= observation.undo
            while rounds[-1][0] >= standing:
                taken_back = rounds.pop()[1]
        hidden = rounds[-1][1]
        if is_over:
            hidden = i + 1 if taken_back is None else taken_back
    return hidden


def _is_round_over(position: PositionFields) -> bool:
    return position.get("resumes", position["phase"]) in OVER_PHASES


def redacted_lines(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a log without the faces of hidden hands; a round that is over is shown in full."""
    reader = LogReader(parse_header(lines[0]))
    read, begun = [json_object(line) for line in lines[1:]], reader.position
    records = [reader.read(data) for data in read]
    hidden, given = first_hidden(records, begun), reader.header.given or {}
    is_open = hidden or given.keys().isdisjoint(HIDDEN_FIELDS)
    yield lines[0] if is_open else text_of(replace(reader.header, given=position_without_faces(given)).to_json())
    for i, (line, data, record) in enumerate(zip(lines[1:], read, records, strict=True)):
        shown = without_faces(record.observation) if i >= hidden else record.observation
        verdict: dict[str, Any] = {name: data[name] for name in VERDICT if name in data}
        yield line if shown is record.observation else text_of({**to_json(shown), **verdict})


def without_faces(observation: Observation) -> Observation:
    """The observation with the number of cards instead of their faces."""
    match observation:
        case Dealt() | Drew() if observation.cards:
            return replace(observation, cards=())
        case Shown():  # shown to the challenger only
            return replace(observation, cards=(BACK,) * len(observation.cards))
        case Overrule() if observation.set and not observation.set.keys().isdisjoint(HIDDEN_FIELDS):
            shown = {name: value for name, value in observation.set.items() if name not in HIDDEN_FIELDS}
            return replace(observation, set=shown)
        case _:
            return observation


def position_without_faces(position: PositionFields) -> PositionFields:
    """The position without the known faces."""
    shown = position.copy()
    shown.pop("known", None)
    shown.pop("remembered", None)
    return shown
