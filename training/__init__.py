"""Makes and measures the card reader's model. Not shipped: the program needs only what it leaves in the package."""
