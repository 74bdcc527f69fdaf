"""The voice of the table: sentences by espeak-ng and short sounds, played by a process of its own."""
