"""`croupier doctor --shoe`: a sorted deck goes through the shoe, and what came out where tells what to adjust."""
