"""Lets a version of the Debian package take over that dpkg has just unpacked: ``python -m croupier_extras.upkeep.apply
VERSION``. Where the table does not work with it, the version from before runs again, and one line says why."""

from __future__ import annotations

import sys
from pathlib import Path

from croupier.errors import CroupierError
from croupier.i18n import localize
from croupier_extras.upkeep.update import Service, Update
from croupier_extras.upkeep.versions import CURRENT, GOOD, HOME, Versions


def apply(version: str, folder: Path = HOME) -> int:
    """Let ``version`` take over; the first one on a machine does so untried. Returns 0, or 1 if it went back."""
    versions = Versions(folder)
    try:
        with versions.locked():
            if not versions.linked(GOOD):
                for link in (CURRENT, GOOD):
                    versions.point(link, version)
            elif versions.linked(CURRENT) != version:
                Update(versions, Service(), print).to(version)
    except CroupierError as err:
        print(*(f"croupier: {line}" for line in localize(err)), sep="\n", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(apply(sys.argv[1]))
