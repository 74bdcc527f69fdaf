"""Public pages of a tournament: who sits where, the tables now, the standings.

A page is a function of what the hub's store has and of the time, so that every hub shows the same.
"""
