"""A second referee, slow and obvious, to compare the real one with.

It is written from the printed documents alone and shares nothing with the program: it imports nothing of it, takes
and returns the JSON objects of the table log, writes cards as their names, and sees every card that anybody holds.
Each observation is ruled on a copy of the whole table, so that taking back is going to an older copy.

An observation may carry ``really``: the faces of cards that were dealt or drawn, whether anybody at the table saw them
(``cards``) or not. A ruling carries ``rule`` where a document says it, or the table log does (``None``: no document
speaks); rulings without it leave open which sentence is cited.
"""

from tests.slow_referee.documents import DOCUMENTS, says
from tests.slow_referee.referee import SlowReferee
from tests.slow_referee.table import Table

__all__ = ["DOCUMENTS", "SlowReferee", "Table", "says"]
