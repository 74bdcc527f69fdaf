"""A table log, replayed: each observation with what the referee rules on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from croupier.errors import BadLine, BadLog
from croupier.journal.lines import STANDARD_INPUT, Line, opened, read_lines
from croupier.referee import Header, Observation, Referee, Rulings, parse_header, parse_observation


@dataclass(frozen=True, slots=True)
class Step:
    """One observation of a log, and what the referee said: ``i`` counts observations from 0, ``line`` lines from 1.

    ``on_turn`` is the seat that was on turn when it was reported. ``referee`` stands where it stands after it, until
    the next step is asked for.
    """

    i: int
    line: int
    observation: Observation
    on_turn: int | None
    rulings: Rulings
    referee: Referee

    def to_json(self) -> dict[str, Any]:
        """The step as ``croupier referee --json`` writes it."""
        return {
            "i": self.i,
            "t": self.observation.t,
            "rulings": [ruling.to_json() for ruling in self.rulings],
            "position": self.referee.position(),
        }


def replay(name: str) -> Iterator[Header | Step]:
    """First the header of the log ``name`` (``-``: standard input), then a step for each observation, as they come.

    Raises:
        BadLog: the input is no table log; the text names the file, the line and what was expected.
    """
    with opened(name) as file:
        yield from replay_lines(file, place(name))


def place(name: str) -> str:
    """What an error calls the log ``name``."""
    return "standard input" if name == STANDARD_INPUT else name


def replay_lines(lines: Iterable[bytes], where: str) -> Iterator[Header | Step]:
    """As `replay`, of lines that come from ``where``."""
    number = 1
    try:
        read = read_lines(lines)
        header, referee = _begin(next(read, None))
        yield header
        for i, line in enumerate(read):
            number = line.number
            observation = parse_observation(line.data, len(header.seats))
            on_turn = referee.on_turn
            yield Step(i, number, observation, on_turn, referee.observe(observation), referee)
    except BadLine as err:
        raise BadLog(f"{where}, {err}") from err
    except BadLog as err:
        raise BadLog(f"{where}, line {number}: {err}") from err


def _begin(line: Line | None) -> tuple[Header, Referee]:
    if line is None:
        raise BadLog('empty: expected a header, such as {"log": "croupier/1", "ruleset": "g7942-en", …}')
    header = parse_header(line.data)
    return header, Referee(header)
