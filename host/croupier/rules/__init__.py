"""The twelve printed rulesets as data, and what follows from them."""
