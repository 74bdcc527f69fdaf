"""The printed rulesets as data, and what follows from them."""

from croupier.rules.ruleset import UNWRITTEN, Basis, Rule, RuleSet, load, names

__all__ = ["UNWRITTEN", "Basis", "Rule", "RuleSet", "load", "names"]
