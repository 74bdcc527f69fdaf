"""Upkeep of an installed table: new versions beside the old one, and backups."""
