"""Bots that play UNO, a table of cards without devices, and the command `croupier play`."""
