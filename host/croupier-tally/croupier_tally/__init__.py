"""Hands, decks and evenings without a table: points, complete decks and score sheets from pictures of the cards."""
