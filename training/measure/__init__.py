"""Measures the card reader: what lies in a picture, what was told of it, and in which pictures it is asked."""
