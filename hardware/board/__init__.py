"""The strip board in the base: layout, check against the wiring, drawing. ``python -m hardware.board --help``."""
