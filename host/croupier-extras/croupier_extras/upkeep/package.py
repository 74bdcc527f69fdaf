"""The Debian package of Croupier as the file of an update: which system it is for, and the version in it.

A package is an archive of ``ar`` with two archives of ``tar``: ``control.tar`` and ``data.tar`` (deb(5)). No program of
the system is needed to read it. Under ``./opt/croupier/VERSION`` it has the whole program with its environment.
"""

from __future__ import annotations

import platform
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import IO, Final

from croupier.i18n import marked
from croupier_extras.errors import BadUpdate

TREE: Final = "opt/croupier"
SYSTEM: Final = "X-Croupier-System"
"""Field of a package with the code name of the Debian release that it was built for."""

_MACHINES: Final = {"x86_64": "amd64", "aarch64": "arm64"}
_HEADER: Final = 60


def this_machine() -> str:
    """The name that Debian has for this kind of machine."""
    return _MACHINES.get(platform.machine(), platform.machine())


def this_system(root: Path = Path("/")) -> str:
    """The code name of this Debian release; "" where there is none."""
    try:
        lines = (root / "etc/os-release").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return next((line.partition("=")[2].strip('"') for line in lines if line.startswith("VERSION_CODENAME=")), "")


@dataclass(frozen=True, slots=True)
class Package:
    """A package in a ``file``; ``fields``: of its control file."""

    file: Path
    fields: dict[str, str]

    @classmethod
    def read(cls, file: Path) -> Package:
        """Read what a package tells of itself. Raises `BadUpdate`."""
        try:
            with _member(file, "control.tar") as opened, tarfile.open(fileobj=opened) as control:
                found = control.extractfile(next(one for one in control if one.name.lstrip("./") == "control"))
                assert found is not None
                lines = found.read().decode().splitlines()
        except (OSError, EOFError, StopIteration, ValueError, tarfile.TarError) as err:
            raise _broken(file) from err
        return cls(file, {key: value.strip() for key, colon, value in (line.partition(":") for line in lines) if colon})

    @property
    def version(self) -> str:
        """The version of Croupier: that of the package without the release of Debian behind it."""
        return self.fields.get("Version", "").partition("+deb")[0].replace("~dev", ".dev")

    def check_system(self, machine: str, system: str) -> None:
        """Raise `BadUpdate` if this is no package of Croupier for such a machine and release of Debian."""
        if self.fields.get("Package") != "croupier" or not self.version:
            raise BadUpdate(marked("{file}: not a package of Croupier"), file=self.file)
        made = f"{self.fields.get(SYSTEM, '')} {self.fields.get('Architecture', '')}"
        if made != (here := f"{system} {machine}"):
            text = marked("{file}: made for {made}, and this is {here}; nothing was changed")
            raise BadUpdate(text, file=self.file, made=made, here=here)

    def unpack(self, folder: Path, on_file: Callable[[], None] = lambda: None) -> None:
        """Unpack the version into the new ``folder``. Raises `BadUpdate`, and `OSError` such as for a full disk."""
        folder.mkdir()
        inside = f"{TREE}/{self.version}/"
        try:
            with _member(self.file, "data.tar") as opened, tarfile.open(fileobj=opened) as data:
                for one in data:
                    path = one.name.lstrip("./")
                    if path.startswith(inside) and path != inside:
                        one.name = path.removeprefix(inside)
                        if one.islnk():
                            one.linkname = one.linkname.lstrip("./").removeprefix(inside)
                        data.extract(one, folder, filter="tar")
                        on_file()
        except (EOFError, ValueError, tarfile.TarError) as err:
            raise _broken(self.file) from err


@contextmanager
def _member(file: Path, name: str) -> Iterator[IO[bytes]]:
    """The archive in a package whose name begins so. Raises `ValueError` where there is none."""
    with file.open("rb") as opened:
        if opened.read(8) != b"!<arch>\n":
            raise ValueError("not an archive of ar")
        while header := opened.read(_HEADER):
            size = int(header[48:58])
            if header.startswith(name.encode()):
                content = opened.read(size)
                if len(content) < size:
                    raise ValueError("cut off")
                yield BytesIO(content)
                return
            opened.seek(size + size % 2, 1)
    raise ValueError(f"no {name}")


def _broken(file: Path) -> BadUpdate:
    return BadUpdate(marked("{file}: not a whole Debian package; copy it again. Nothing was changed"), file=file)
