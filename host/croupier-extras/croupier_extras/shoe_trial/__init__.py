"""`croupier doctor --shoe`: deal a sorted deck and judge from the order of the cards what to adjust."""
