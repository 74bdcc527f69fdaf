"""Replay of a table log, and redaction of the faces that nobody may see yet.

Where the shoe reads faces while dealing, the log holds them, because the referee uses them. Whoever shows or exports a
log of a round that is not over sends it through `redacted_lines`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from croupier.errors import BadLine, BadLog
from croupier.journal.log_file import STANDARD_INPUT, Line, opened, read_lines, text_of
from croupier_rules.cards import BACK
from croupier_rules.referee import Header, Observation, Referee, Rulings, parse_header, parse_observation
from croupier_rules.referee.observations import Dealt, Drew, Overrule, Shown, to_json


@dataclass(frozen=True, slots=True)
class Step:
    """One observation of a log with its rulings; ``i`` counts observations from 0, ``line`` counts lines from 1.

    ``on_turn`` is the seat on turn before the observation. ``referee`` has the state after it, until the next step.
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
    """Yield the header of the log ``name`` (``-``: standard input), then a step for each observation as it arrives.

    Raises:
        BadLog: the input is not a table log; the text names the file, the line and what was expected.
    """
    with opened(name) as file:
        yield from replay_lines(file, place(name))


def place(name: str) -> str:
    """The name of the log in error texts."""
    return "standard input" if name == STANDARD_INPUT else name


def replay_lines(lines: Iterable[bytes], where: str) -> Iterator[Header | Step]:
    """Like `replay`, for lines from ``where`` (a name for error texts)."""
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


def first_hidden(header: Header, observations: Iterable[Observation]) -> int:
    """The index (from 0) of the first observation of a round that is not over; faces from there on stay hidden.

    An undone end of round does not count. Cards dealt since then stay hidden until the round that repeats them is over.
    """
    referee, standing, hidden = Referee(header), 0, 0
    # By round: how many observations stood when it began, and the index of its first observation.
    rounds: list[tuple[int, int]] = [(-1, 0)]
    taken_back: int | None = None
    for i, observation in enumerate(observations):
        was_over = referee.is_round_over
        referee.observe(observation)
        if not isinstance(observation, Overrule):
            if was_over and not referee.is_round_over:
                rounds.append((standing, i if taken_back is None else taken_back))
                taken_back = None
            standing += 1
        elif observation.undo:
            standing -= observation.undo
            while rounds[-1][0] >= standing:
                taken_back = rounds.pop()[1]
        hidden = rounds[-1][1]
        if referee.is_round_over:
            hidden = i + 1 if taken_back is None else taken_back
    return hidden


def redacted_lines(lines: Sequence[str]) -> Iterator[str]:
    """The lines of a log without the faces of hidden hands; a round that is over is shown in full."""
    header = parse_header(lines[0])
    observations = [parse_observation(line, len(header.seats)) for line in lines[1:]]
    hidden = first_hidden(header, observations)
    is_open = hidden or not (header.given and "known" in header.given)
    yield lines[0] if is_open else text_of(replace(header, given=position_without_faces(header.given or {})).to_json())
    for i, (line, observation) in enumerate(zip(lines[1:], observations, strict=True)):
        shown = without_faces(observation) if i >= hidden else observation
        yield line if shown is observation else text_of(to_json(shown))


def without_faces(observation: Observation) -> Observation:
    """The observation with the number of cards instead of their faces."""
    match observation:
        case Dealt() | Drew() if observation.cards:
            return replace(observation, cards=())
        case Shown():  # shown to the challenger only
            return replace(observation, cards=(BACK,) * len(observation.cards))
        case Overrule() if observation.set and "known" in observation.set:
            return replace(observation, set={name: value for name, value in observation.set.items() if name != "known"})
        case _:
            return observation


def position_without_faces(position: Mapping[str, Any]) -> dict[str, Any]:
    """The position without the known faces."""
    return {name: value for name, value in position.items() if name != "known"}
