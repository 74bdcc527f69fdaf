"""Croupier: a card table that deals, watches and referees a game of UNO and adds the score from the real cards."""
