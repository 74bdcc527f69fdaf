"""What can be wrong with what cardsight is given."""


class NotAPicture(ValueError):
    """A file that holds no picture to read cards in. The text says in one line what is wrong and what was expected;
    which file it is, the caller knows.
    """


class NotAProfile(ValueError):
    """A file that holds no deck profile, told as `NotAPicture` is."""


class OtherModel(NotAProfile):
    """A deck profile that was learned with another version of the reader network."""


class NotCalibrated(ValueError):
    """A picture that shows too little to calibrate by, told as `NotAPicture` is."""


class NotACalibration(ValueError):
    """A file that holds no calibration of a table, told as `NotAPicture` is."""


class NoCamera(OSError):
    """A camera or a video that cannot be opened. The text says in one line what was expected and what to do."""


class NoFrame(OSError):
    """There is no new frame now; a live camera may have one later. The text says in one line what is wrong."""


class NoMoreFrames(NoFrame):
    """A file has come to its end."""


class CutOff(NoMoreFrames):
    """A video has come to its end before it should have: what was shown after that, nobody knows."""
