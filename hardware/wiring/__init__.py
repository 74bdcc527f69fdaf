"""What is wired to what, as data: checked by tests, drawn by WireViz."""
