"""The table log on disk."""
