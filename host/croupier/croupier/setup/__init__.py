"""`croupier setup`: the table, step by step, each tried before it is written; in the terminal and on a page."""
