"""What of a log nobody may see yet: faces of hidden hands, until their round is over.

Where the shoe reads faces while dealing, the log holds them, since the referee uses them; whoever shows or passes on a
log shows it through here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from croupier.cards import BACK
from croupier.referee.header import Header, parse_header
from croupier.referee.observations import Dealt, Drew, Observation, Overrule, Shown, to_json
from croupier.referee.parsing import parse_observation
from croupier.referee.referee import Referee


def first_hidden(header: Header, observations: Iterable[Observation]) -> int:
    """From which observation on (counted from 0) a log tells of a round that is not over: faces there stay hidden.

    The end of a round that was taken back is none; and cards that were dealt since are held all the same, until the
    round in which they are told of anew is over.
    """
    referee, standing, hidden = Referee(header), 0, 0
    # By round: how many observations stood when it was begun, and from which one on the log tells of it.
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


def for_everybody(lines: Sequence[str], text_of: Callable[[Mapping[str, Any]], str]) -> Iterator[str]:
    """The lines of a log as anybody may see them: without the faces of hidden hands, while their round is played.
    ``text_of`` writes a line that is not as it was."""
    header = parse_header(lines[0])
    observations = [parse_observation(line, len(header.seats)) for line in lines[1:]]
    hidden = first_hidden(header, observations)
    is_open = hidden or not (header.given and "known" in header.given)
    yield lines[0] if is_open else text_of(replace(header, given=position_without_faces(header.given or {})).to_json())
    for i, (line, observation) in enumerate(zip(lines[1:], observations, strict=True)):
        shown = without_faces(observation) if i >= hidden else observation
        yield line if shown is observation else text_of(to_json(shown))


def without_faces(observation: Observation) -> Observation:
    """The observation as everybody may see it: how many cards, not which."""
    match observation:
        case Dealt() | Drew() if observation.cards:
            return replace(observation, cards=())
        case Shown():  # to the one who challenged, not to everybody
            return replace(observation, cards=(BACK,) * len(observation.cards))
        case Overrule() if observation.set and "known" in observation.set:
            return replace(observation, set={name: value for name, value in observation.set.items() if name != "known"})
        case _:
            return observation


def position_without_faces(position: Mapping[str, Any]) -> dict[str, Any]:
    """The position as everybody may see it."""
    return {name: value for name, value in position.items() if name != "known"}
