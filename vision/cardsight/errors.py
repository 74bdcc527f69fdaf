"""Errors of cardsight. Each message is one line: what is wrong, and what was expected. It does not name the file."""


class NotAPicture(ValueError):
    """The file is not a readable picture."""


class NotAProfile(ValueError):
    """The file is not a deck profile."""


class OtherModel(NotAProfile):
    """The deck profile was learned with another version of the reader network."""


class NotCalibrated(ValueError):
    """The picture shows too little for a calibration."""


class NotACalibration(ValueError):
    """The file is not a table calibration."""


class NoCamera(OSError):
    """A camera or a video cannot be opened."""


class NoFrame(OSError):
    """No new frame is available now; a live camera may deliver one later."""


class NoMoreFrames(NoFrame):
    """The file has no more frames."""


class CutOff(NoMoreFrames):
    """The video ends before its stated length: the rest of the recording is missing."""
