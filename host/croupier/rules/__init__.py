"""The printed rulesets as data, the table's own choices on top of them, and what follows from both."""

from croupier.rules.house import load
from croupier.rules.ruleset import UNWRITTEN, Basis, Rule, RuleSet, names

__all__ = ["UNWRITTEN", "Basis", "Rule", "RuleSet", "load", "names"]
