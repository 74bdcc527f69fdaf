"""Checks of a table: each has a name, a finding and advice, for people and programs."""
