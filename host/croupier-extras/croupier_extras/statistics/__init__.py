"""Statistics of the players over many games, with a rating and the luck of their cards: as a page and as a command."""
