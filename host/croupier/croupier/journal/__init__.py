"""The table log on disk: as JSON lines (`log_file`), and as games in a journal (`archive` reads, `journal` writes)."""

from croupier.journal.archive import Archive, Damage, FeedJob, Game, chained
from croupier.journal.journal import Journal
from croupier.journal.log_file import Line, read_lines, text_of

__all__ = ["Archive", "Damage", "FeedJob", "Game", "Journal", "Line", "chained", "read_lines", "text_of"]
