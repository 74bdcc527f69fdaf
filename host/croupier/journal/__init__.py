"""The table log on disk: as JSON lines (`log_file`), and as games in a journal (`journal`, `database`)."""

from croupier.journal.journal import Archive, Damage, FeedJob, Game, Journal, chained
from croupier.journal.log_file import Line, LogFile, read_lines, text_of

__all__ = ["Archive", "Damage", "FeedJob", "Game", "Journal", "Line", "LogFile", "chained", "read_lines", "text_of"]
