"""The referee: observations in, rulings out. No clock, no files, no threads."""

from croupier.referee.explain import Explainer, Explanation
from croupier.referee.header import Header, Options, Written, parse_header
from croupier.referee.observations import Observation, parse_observation
from croupier.referee.referee import UNDO_REACH, Referee, replay
from croupier.referee.rulings import Ruling, Rulings

__all__ = [
    "UNDO_REACH",
    "Explainer",
    "Explanation",
    "Header",
    "Observation",
    "Options",
    "Referee",
    "Ruling",
    "Rulings",
    "Written",
    "parse_header",
    "parse_observation",
    "replay",
]
