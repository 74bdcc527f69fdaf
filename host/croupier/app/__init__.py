"""Wires everything together; the only part that knows everything."""
