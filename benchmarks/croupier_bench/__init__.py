"""The benches of `croupier bench`: one module each, whose ``measure`` yields its lines."""
