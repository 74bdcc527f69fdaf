"""`croupier link console`: what people type to the Pico, and what it reports, in the words of the protocol."""
