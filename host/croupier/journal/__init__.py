"""The table log on disk: reading its lines, appending to it."""

from croupier.journal.reader import Line, read_lines
from croupier.journal.writer import Journal

__all__ = ["Journal", "Line", "read_lines"]
