"""The printed rulesets as data, the table's own choices on top of them, and what follows from both."""

from croupier_rules.rules.ruleset import UNWRITTEN, Basis, Rule, RuleSet, load, names

__all__ = ["UNWRITTEN", "Basis", "Rule", "RuleSet", "load", "names"]
