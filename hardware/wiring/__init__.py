"""The wiring as data: checked by tests, drawn by WireViz."""
