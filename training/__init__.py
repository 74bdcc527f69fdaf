"""Training and measurement of the card reader's model. Not shipped: the program needs only the model in the package."""
