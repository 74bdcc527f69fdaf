"""The board of buttons and ring: wiring, copper, KiCad files. ``python -m hardware.button_board --help``."""
