"""Makes the fonts of the page: subsets of Source Sans 3 and Source Serif 4 with the letters of all its languages.

    python -m tools.fonts            download the two packages (npm), and write host/croupier/croupier/web/static/fonts

The fonts are under the SIL Open Font License 1.1, which reserves the name *Source*: a changed font has another one.
Each script is a file of its own, so that a browser loads those that its page needs.
"""

from __future__ import annotations

import hashlib
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

from tools.lock import ROOT

FONTS: Final = ROOT / "host/croupier/croupier/web/static/fonts"
_LICENSE: Final = "LICENSE.txt"

LETTERS: Final = {
    "latin": "".join(map(chr, (*range(0x20, 0x7F), *range(0xA0, 0x100)))) + "ŒœŸ‘’‚“”„‹›–—…•−€",
    "latin-ext": "ĄąĆćČčĎďĘęĚěĞğİıŁłŃńŇňŐőŘřŚśŞşŠšŤťŮůŰűŹźŻżŽžĂăȘșȚț",
    "greek": "".join(map(chr, (*range(0x386, 0x38B), 0x38C, *range(0x38E, 0x3A2), *range(0x3A3, 0x3CF)))) + "΄΅",
}
"""By script; names of players may have those of the neighbors, too."""

_FEATURES: Final = ("kern", "lnum", "tnum", "locl", "ccmp", "mark")


@dataclass(frozen=True, slots=True)
class _Font:
    """``name``: of the files; ``family``: of the subset. ``weights``: one, or the ends of an axis. ``sha256``: of the
    package as it was downloaded."""

    name: str
    family: str
    package: str
    version: str
    sha256: str
    weights: tuple[float, float] | float


_PAIR: Final = (
    _Font(
        "sans", "Croupier Sans", "source-sans-3", "5.3.1",
        "dfa23bee63f9cc5c2871149a453215093bd8f1b694a5c1d999ecdc7560435fcf", (400, 700),
    ),
    _Font(
        "serif", "Croupier Serif", "source-serif-4", "5.3.1",
        "8c452853c74be1e43e9fbfe76321c26f4678a2d431e93209ff1d9faec03fd96f", 600,
    ),
)  # fmt: skip


def _files(font: _Font, folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the files of a package. Raises SystemExit if it is not the known one."""
    asked = f"@fontsource-variable/{font.package}@{font.version}"
    command = ["npm", "pack", "--silent", "--pack-destination", str(folder), asked]
    package = folder / subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    if (found := hashlib.sha256(package.read_bytes()).hexdigest()) != font.sha256:
        raise SystemExit(f"{asked}: SHA-256 {found}: expected {font.sha256}")
    with tarfile.open(package) as archive:
        for member in archive:
            if (file := archive.extractfile(member)) is not None:
                yield member.name.removeprefix("package/"), file.read()


def subset(source: bytes, letters: str, family: str, weights: tuple[float, float] | float) -> bytes:
    """The part of a variable font that has these ``letters``, as WOFF2 under the name ``family``."""
    font, options = TTFont(BytesIO(source)), Options()
    options.layout_features, options.hinting, options.name_IDs = list(_FEATURES), False, [0, 1, 2, 4, 6, 13, 14]
    subsetter = Subsetter(options)
    subsetter.populate(text=letters)
    subsetter.subset(font)
    font = instantiateVariableFont(font, {"wght": weights})
    names = {1: family, 4: family, 6: family.replace(" ", "")}
    for record in list(font["name"].names):
        if record.nameID in names:
            font["name"].setName(
                names[record.nameID], record.nameID, record.platformID, record.platEncID, record.langID
            )
    font.flavor, out = "woff2", BytesIO()
    font.save(out)
    return out.getvalue()


def main() -> int:
    """Write all fonts and their license. Returns 0."""
    copyrights, license_text = [], ""
    FONTS.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        for one in _PAIR:
            files = dict(_files(one, Path(folder)))
            for script, letters in LETTERS.items():
                source = files[f"files/{one.package}-{script}-wght-normal.woff2"]
                (FONTS / f"{one.name}-{script}.woff2").write_bytes(subset(source, letters, one.family, one.weights))
            copyright_ = TTFont(BytesIO(source))["name"].getDebugName(0)
            copyrights.append(
                f"{one.family} ({one.name}-*.woff2) is a subset of {one.package} {one.version}:\n{copyright_}\n"
            )
            license_text = files["LICENSE"].decode().partition("\n")[2]
    (FONTS / _LICENSE).write_text("\n".join([*copyrights, license_text]), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
