"""Makes a release in one folder: `make release` tells what it would make, `make release DO=yes` makes it.

    python -m tools.release [--do] [--into FOLDER] [--debs SYSTEM/MACHINE,…] [--key FILE]

Everything is made of what is checked in, with the time of the last commit. The folder can be served as it is: with its
`updates.json` it is an index of `croupier update`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from croupier_extras.upkeep.package import SYSTEM, Package
from tools import deb
from tools.lock import ROOT, WORKSPACE
from tools.sbom import sbom
from tools.version import __version__

OUT: Final = ROOT / "out/release"
HARDWARE: Final = ROOT / "out/hardware/croupier-hardware.zip"
SITE: Final = ROOT / "out/site/html"
SUMS: Final = "SHA256SUMS"
INDEX: Final = "updates.json"

BY_HAND: Final = (
    "before it: make test test-long test-pi test-hardware, and on a Raspberry Pi what needs one",
    f"the tag, which gives the version: git tag -s v{__version__.partition('.dev')[0]} && git push --tags",
    "the packages of Python to PyPI: twine upload *.whl *.tar.gz (an account, or trusted publishing by a CI)",
    "this folder to a web server that croupier update is told of: /etc/croupier/update.index has its address",
    "the site to a web server",
    "a program of one file is not made, for no system: people install by pip, pipx, uv or the Debian package",
)
"""What a machine without network, accounts and keys cannot do."""


def python_packages(into: Path) -> None:
    """Build wheel and source package of each distribution."""
    for name in WORKSPACE["tool"]["workspace"]["distributions"]:
        command = [sys.executable, "-m", "hatchling", "build", "-d", str(into)]
        subprocess.run(command, cwd=ROOT / name, env=_environment(), check=True, stdout=subprocess.DEVNULL)


def bill(into: Path) -> None:
    """Write the software bill of materials."""
    (into / f"croupier-{__version__}.cdx.json").write_text(json.dumps(sbom(), indent=1) + "\n", encoding="utf-8")


def changes(changelog: str, version: str) -> str:
    """What the changelog tells of a version; where it does not know it, what is unreleased."""
    sections = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    by_title = {text.partition("\n")[0].strip("[]").split("]")[0].split(" ")[0]: text for text in sections}
    text = by_title.get(version) or by_title["Unreleased"]
    return text.partition("\n")[2].strip() + "\n"


def finish(folder: Path, key: Path | None) -> None:
    """Write the index of updates and the sums of all files, and sign packages and sums with a ``key`` of minisign."""
    debs = sorted(folder.glob("*.deb"))
    told = [Package.read(file) for file in debs]
    index = {f"{one.fields[SYSTEM]} {one.fields['Architecture']}": one.file.name for one in told}
    (folder / INDEX).write_text(json.dumps(index, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    for old in (folder / SUMS, *folder.glob("*.minisig")):
        old.unlink(missing_ok=True)
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(folder.iterdir())]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8")
    if key is not None:
        subprocess.run(["minisign", "-S", "-s", key, "-m", *debs, folder / SUMS], check=True)


def _environment() -> dict[str, str]:
    epoch = subprocess.run(
        ["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    return {**os.environ, "SOURCE_DATE_EPOCH": epoch.strip() or "1700000000"}


def _hardware(into: Path) -> None:
    shutil.copy2(HARDWARE, into / f"croupier-hardware-{__version__}.zip")


def _site(into: Path) -> None:
    shutil.make_archive(str(into / f"croupier-site-{__version__}"), "zip", SITE)


def _changes(into: Path) -> None:
    text = changes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), __version__)
    (into / "CHANGES.md").write_text(text, encoding="utf-8")


def _debs(names: tuple[str, ...]) -> Callable[[Path], None]:
    def build(into: Path) -> None:
        for name in names:
            system, _slash, machine = name.partition("/")
            deb.build(system, machine, into)

    return build


def main() -> None:
    """Tell what a release has, and make it where that is wanted."""
    every = tuple(f"{system}/{machine}" for system in deb.SYSTEMS for machine in deb.MACHINES)
    asks = argparse.ArgumentParser(description="Makes a release in one folder.")
    asks.add_argument("--do", action="store_true", help="make it; without this only tell")
    asks.add_argument("--into", type=Path, default=OUT / __version__, help="a new folder (out/release/VERSION)")
    asks.add_argument("--debs", default=",".join(every), help="Debian packages, such as bookworm/arm64; none for none")
    asks.add_argument("--key", type=Path, help="secret key of minisign, which signs packages and sums")
    asked = asks.parse_args()
    names = tuple(name for name in asked.debs.split(",") if name not in ("", "none"))
    if wrong := sorted(set(names) - set(every)):
        asks.error(f"--debs: {', '.join(wrong)}: expected some of {', '.join(every)}")
    if asked.do and asked.into.exists():
        asks.error(f"{asked.into} is there already; move it away, or name another folder")
    # What it makes, what that needs, and whether that is here.
    steps: tuple[tuple[str, str, bool, Callable[[Path], None]], ...] = (
        ("wheels and source packages", "", True, python_packages),
        (f"Debian packages ({', '.join(names) or 'none'})", "the network, for wheels from PyPI", True, _debs(names)),
        ("hardware files", "make hardware", HARDWARE.is_file(), _hardware),
        ("site", "make site", SITE.is_dir(), _site),
        ("software bill of materials", "", True, bill),
        ("changes", "", True, _changes),
    )
    print(f"Release {__version__} in {asked.into}" + ("" if asked.do else ": only told, nothing is written"))
    if ".dev" in __version__:
        print("  (this commit has no tag, so the version is that of a development state)")
    if asked.do:
        asked.into.mkdir(parents=True)
    for what, needs, is_here, do in steps:
        print(f"  {what}" + (f": left out, first {needs}" if not is_here else f" (needs {needs})" if needs else ""))
        if asked.do and is_here:
            do(asked.into)
    print(f"  {INDEX}, {SUMS}, " + (f"signatures with {asked.key}" if asked.key else "no signatures: name a --key"))
    if asked.do:
        finish(asked.into, asked.key)
        print("\n".join(f"    {file.stat().st_size:>11,} {file.name}" for file in sorted(asked.into.iterdir())))
    print("By hand:", *(f"  {line}" for line in BY_HAND), sep="\n")


if __name__ == "__main__":
    main()
