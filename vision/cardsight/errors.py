"""What can be wrong with what cardsight is given."""


class NotAPicture(ValueError):
    """A file that holds no picture to read cards in. The text says in one line what is wrong and what was expected;
    which file it is, the caller knows.
    """


class NotAProfile(ValueError):
    """A file that holds no deck profile, told as `NotAPicture` is."""


class OtherModel(NotAProfile):
    """A deck profile that was learned with another version of the reader network."""
