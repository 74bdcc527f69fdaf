"""The referee: observations in, rulings out. No clock, no files, no threads."""

from croupier_rules.referee.explain import Explainer, Explanation
from croupier_rules.referee.header import Header, Options, Written, parse_header
from croupier_rules.referee.observations import Observation, parse_observation
from croupier_rules.referee.referee import UNDO_REACH, Referee, replay
from croupier_rules.referee.rulings import Ruling, Rulings

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
