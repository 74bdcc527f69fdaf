"""The table log on disk: games in a journal, where each line is safe before anything acts on it, and as JSON lines.

lines      a table log as text: one JSON object a line
log_file   one game, written as text while it is played
journal    many games in one SQLite file, written by one process
archive    the same file, read by anybody
chain      the hash that ties each line to all before it
database   the SQLite file: how it is opened, what its faults mean
"""

from croupier.journal.archive import Archive, Damage, Game
from croupier.journal.chain import chained
from croupier.journal.journal import Journal
from croupier.journal.lines import Line, read_lines, text_of
from croupier.journal.log_file import LogFile

__all__ = ["Archive", "Damage", "Game", "Journal", "Line", "LogFile", "chained", "read_lines", "text_of"]
