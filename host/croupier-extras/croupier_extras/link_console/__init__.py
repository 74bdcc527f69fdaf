"""`croupier link`: talk to the Pico, message by message."""
