"""Measurement of the card reader: scenes with known cards, comparison with their readings, tables of results."""
