"""Tournaments over several tables: opponents, tables, in which round."""

from pathlib import Path
from typing import Final

DIRECTOR_FILE: Final = Path("director.outbox")
"""The file with the director's key and log."""

FOUR, EIGHT = "g7942-partners-4", "g7942-partners-8"
PARTNERS, SINGLE, ELIMINATION, SWISS = "partners", "single", "elimination", "swiss"
FORMATS: Final = (FOUR, EIGHT, PARTNERS, SINGLE, ELIMINATION, SWISS)
