"""Tracking of cards in a stream of frames: the discard pile (`tracker`), and hands that are laid open (`zone`)."""
