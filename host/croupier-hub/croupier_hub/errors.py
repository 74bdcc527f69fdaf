"""Errors of tournaments and hubs. Each says in one line what, where, what was expected, what to do."""

from __future__ import annotations

from croupier.errors import CroupierError


class BadPlan(CroupierError, ValueError):
    """A tournament cannot be planned like this, or a file of it is invalid; the text says what was expected."""


class BadResults(CroupierError, ValueError):
    """A file does not have the results of a tournament."""


class BadOutbox(CroupierError, ValueError):
    """The file with the key and the log of a table or of the director cannot be used."""


class BadHub(CroupierError, OSError):
    """A hub cannot be started: its packages, its address or its database."""


class BadCheckpoint(CroupierError, ValueError):
    """A text is not the signed head of a log."""


class HubUnavailable(CroupierError, ConnectionError):
    """No hub can be reached at an address; the same attempt may succeed later."""


class HubRefuses(CroupierError, ValueError):
    """A hub does not take what it gets, or has what must not be taken; somebody has to do something."""
