"""*Show that again*: clips of the discard pile, appeals against the card read there, and clips that are kept."""
