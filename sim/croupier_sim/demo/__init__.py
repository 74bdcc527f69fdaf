"""`croupier demo`: the whole table in simulation."""
