"""The command `croupier tournament`."""
