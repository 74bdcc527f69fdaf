"""Printed circuits from tables: layout in, tracks, checks, KiCad project, Gerber and drill files out."""
