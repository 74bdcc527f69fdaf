"""How this program was installed, and the command that installs more of it in the same way."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

_EXTRAS: Final = {
    "croupier-tally": "croupier", "croupier-extras": "croupier[table]", "croupier-hub": "croupier[hub]",
    "croupier-sim": "croupier[all]",
}  # fmt: skip
"""What to ask for to get a distribution with all that it needs."""

_NOT_BY_MAKE: Final = tuple(f"croupier[{extra}]" for extra in ("clip", "gpio", "heic", "rpi-lgpio", "rpigpio"))
"""What ``make setup`` does not install."""


def how_to_install(requirement: str) -> str:
    """The command that adds a ``requirement``, such as ``croupier-hub`` or ``croupier[web]``, to this installation."""
    wanted = _EXTRAS.get(requirement, requirement)
    is_ours = wanted.partition("[")[0] == "croupier"
    way, place = _way(Path(sys.prefix))
    quoted, place = (f"'{wanted}'" if "[" in wanted else wanted), shlex.quote(place)
    match way:
        case "package":
            return "sudo apt install --reinstall croupier"
        case "pipx":
            return f"pipx install --force {quoted}" if is_ours else f"pipx inject croupier {quoted}"
        case "uv":
            return f"uv tool install {quoted}" if is_ours else f"uv tool install --with {quoted} croupier"
        case "checkout" if wanted in _NOT_BY_MAKE:
            return f"pip install '{Path(place) / 'host/croupier-table'}{wanted.removeprefix('croupier')}'"
        case "checkout" if is_ours:
            return f"make -C {place} setup"
        case "wheel" if is_ours:
            return f"pip install --find-links {place} {quoted}"
    return f"pip install {quoted}"


@cache
def _way(prefix: Path) -> tuple[str, str]:
    """How it was installed into the environment ``prefix``, and the folder that it came from, or ""."""
    marks = {"package": "croupier-version", "pipx": "pipx_metadata.json", "uv": "uv-receipt.toml"}
    if found := next((way for way, file in marks.items() if (prefix / file).exists()), ""):
        return found, ""
    from importlib.metadata import distribution  # loads the library for e-mail

    url = urlsplit(json.loads(distribution("croupier-core").read_text("direct_url.json") or "{}").get("url", ""))
    source = Path(unquote(url.path))
    if url.scheme != "file":
        return "pip", ""
    return ("wheel", str(source.parent)) if source.suffix == ".whl" else ("checkout", str(source.parent.parent))


def built_from() -> str:
    """The commit that this program was built from, abbreviated; "" where nobody knows it."""
    folder = Path(__file__).parent
    if (told := folder / "commit.txt").is_file():
        return told.read_text(encoding="utf-8").strip()
    command = ["git", "-C", str(folder), "describe", "--always", "--dirty", "--exclude", "*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):  # no git, or no checkout
        return ""
