"""Who is told of everything that happens at the table, and may only listen: the voice, the house, other programs."""
