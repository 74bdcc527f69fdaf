"""The version of all distributions: that of the git tag, such as ``v0.2.0``. Hatchling runs this file for each build.

A commit after a tag has the next version with ``.dev`` and the number of commits since. Without git or without a tag (a
shallow clone, a downloaded folder) it is `UNTAGGED`. A source package carries its version in its PKG-INFO.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

UNTAGGED = "0.2.0.dev0"


def of_description(described: str) -> str:
    """The version of what ``git describe --tags --long`` says: ``v0.2.0-7-gabc1234`` is 0.2.1.dev7."""
    found = re.fullmatch(r"v(\d+)\.(\d+)\.(\d+)-(\d+)-g[0-9a-f]+", described.strip())
    if found is None:
        return UNTAGGED
    major, minor, patch, commits = map(int, found.groups())
    return f"{major}.{minor}.{patch + 1}.dev{commits}" if commits else f"{major}.{minor}.{patch}"


def version(folder: Path = Path(__file__).parent) -> str:
    """The version of the checkout that ``folder`` lies in."""
    describe = ["git", "describe", "--tags", "--long", "--match", "v[0-9]*.[0-9]*.[0-9]*"]
    try:
        done = subprocess.run(describe, cwd=folder, capture_output=True, text=True, check=False)
    except OSError:  # no git
        return UNTAGGED
    return of_description(done.stdout)


__version__ = version()
