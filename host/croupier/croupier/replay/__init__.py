"""Games that were played: listed, gone through again, scored, shown on a page, written out and taken in."""
