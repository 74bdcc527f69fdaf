"""Keys, UNO buttons, the ring and a small shoe on the pins of the Raspberry Pi itself."""
