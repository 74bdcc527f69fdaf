"""The sections of `croupier.toml`: what the people at the table, and the parts of the program, may be told.

`make docs` writes docs/configuration.md and docs/croupier.toml from these classes.
"""
