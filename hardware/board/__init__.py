"""The printed circuit in the base: layout, tables for `hardware.circuit`, KiCad project.

``python -m hardware.board --help``.
"""
