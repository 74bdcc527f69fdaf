"""Observers of a game: the voice, home automation, webhooks. They look and change nothing."""
