"""What people see of a tournament: public screens, standings, the director's page, a page for each player.

A page is a function of what the hub's store has and of the time, so that every hub shows the same.
"""
