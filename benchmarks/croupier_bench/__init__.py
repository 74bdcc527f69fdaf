"""The benches of `croupier bench`: one module each. Its ``measure`` yields the lines."""
