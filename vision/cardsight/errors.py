"""What can be wrong with what cardsight is given."""


class NotAPicture(ValueError):
    """A file that holds no picture to read cards in. The text says in one line what is wrong and what was expected;
    which file it is, the caller knows.
    """
