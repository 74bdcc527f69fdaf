"""The rules of UNO: cards and decks, the printed rule sheets as data, and a referee. Standard library only."""
