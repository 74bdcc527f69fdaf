"""Parts of the table that few need, and that it finds by entry points where they are installed."""
