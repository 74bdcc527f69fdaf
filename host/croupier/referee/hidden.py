"""What of a log nobody may see yet: faces of hidden hands, until their round is over.

Where the shoe reads faces while dealing, the log holds them, since the referee uses them; whoever shows or passes on a
log shows it through here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from croupier.cards import BACK
from croupier.referee.header import Header, parse_header
from croupier.referee.observations import Dealt, Drew, Observation, Overrule, Shown, to_json
from croupier.referee.parsing import parse_observation
from croupier.referee.referee import Referee

_OVER: Final = ("round_over", "game_over")


def first_hidden(header: Header, observations: Iterable[Observation]) -> int:
    """From which observation on (counted from 0) a log tells of a round that is not over: faces there stay hidden."""
    referee, begun = Referee(header), 0
    for i, observation in enumerate(observations):
        referee.observe(observation)
        if referee.position()["phase"] in _OVER:
            begun = i + 1
    return begun


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
