"""The referee: observations in, rulings out. No clock, no files, no threads."""
