"""A game as a file of another kind: the score sheet as PDF, and a moment as a picture."""
