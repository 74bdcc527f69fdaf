"""The program as people install it: by pip, pipx and uv; and what it says of what is missing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import cv2
import pytest

from croupier import installer
from tests.house.test_package import FOLDERS, build
from tests.vision.laid import Lying, picture

# -- words ---------------------------------------------------------------------------------------------------------


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, mark: str = "", url: str = "") -> None:
    """An environment with the file ``mark`` of what made it, and the program from ``url``."""
    if mark:
        (folder / mark).write_text("{}")
    monkeypatch.setattr(sys, "prefix", str(folder))

    class Told:
        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return json.dumps({"url": url}) if url else None

    monkeypatch.setattr("importlib.metadata.distribution", lambda name: Told())


@pytest.mark.parametrize(
    ("mark", "url", "wanted", "told"),
    [
        ("", "", "croupier[web]", "pip install 'croupier[web]'"),
        ("", "", "croupier-extras", "pip install 'croupier[table]'"),
        ("", "", "croupier-hub", "pip install 'croupier[hub]'"),
        ("", "", "bell", "pip install bell"),
        ("pipx_metadata.json", "", "croupier-extras", "pipx install --force 'croupier[table]'"),
        ("pipx_metadata.json", "", "bell", "pipx inject croupier bell"),
        ("uv-receipt.toml", "", "croupier[pico]", "uv tool install 'croupier[pico]'"),
        ("uv-receipt.toml", "", "bell", "uv tool install --with bell croupier"),
        ("croupier-version", "", "croupier[pico]", "sudo apt install --reinstall croupier"),
        ("", "file:///src/of%20mine/host/croupier", "croupier-sim", "make -C '/src/of mine' setup"),
        ("", "file:///src/host/croupier", "croupier[clip]", "pip install '/src/host/croupier-table[clip]'"),
        ("", "file:///usb/croupier_core-1.whl", "croupier[web]", "pip install --find-links /usb 'croupier[web]'"),
        ("", "https://example.org/croupier_core-1-py3-none-any.whl", "croupier[web]", "pip install 'croupier[web]'"),
    ],
)  # fmt: skip
def test_what_is_missing_is_named_in_the_words_of_how_it_was_installed(
    mark: str, url: str, wanted: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(tmp_path, monkeypatch, mark, url)
    assert installer.how_to_install(wanted) == told


# -- wheels --------------------------------------------------------------------------------------------------------

NEWEST = next(
    (found for minor in (14, 13, 12, 11) if (found := shutil.which(f"python3.{minor}")) and subprocess.run(
        [found, "-c", "import ensurepip, ssl"], capture_output=True, check=False).returncode == 0), sys.executable
)  # fmt: skip
"""The newest Python at hand that the program runs on."""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheels of all distributions."""
    folder = tmp_path_factory.mktemp("index")
    for source in FOLDERS.values():
        build(source, folder, "-t", "wheel")
    return folder


class Way:
    """One way to install the program from a folder with wheels into a place of its own."""

    def __init__(self, name: str, python: str, folder: Path, index: Path) -> None:
        self.name, self.bin = name, folder / "bin"
        home = folder / "home"
        home.mkdir()
        keep = {
            one: value for one, value in os.environ.items() if not one.startswith(("PIP_REQUIRE", "XDG_", "VIRTUAL"))
        }
        places = {"HOME": home, "PIPX_HOME": folder / "pipx", "PIPX_BIN_DIR": self.bin,
                  "UV_TOOL_DIR": folder / "uv", "UV_TOOL_BIN_DIR": self.bin}  # fmt: skip
        self.environment = {**keep, **{one: str(place) for one, place in places.items()}, "PIP_FIND_LINKS": str(index),
                            "UV_FIND_LINKS": str(index), "UV_PYTHON": python}  # fmt: skip
        self.home, self.tools, self.python = home, folder / "tools", python
        if name == "pip":
            self._do(python, "-m", "venv", str(folder))
        else:
            venv.create(self.tools, with_pip=True)
            package = {"pipx": "pipx>=1.7", "uv": "uv>=0.5"}[name]
            self._do(str(self.tools / "bin/python"), "-m", "pip", "install", "-q", package)

    def install(self, wanted: str) -> None:
        match self.name:
            case "pip":
                self._do(str(self.bin / "python"), "-m", "pip", "install", "-q", "--pre", wanted)
            case "pipx":
                pipx = str(self.tools / "bin/pipx")
                self._do(pipx, "install", "--python", self.python, "--pip-args=--pre", "--force", wanted)
            case "uv":
                self._do(str(self.tools / "bin/uv"), "tool", "install", "--prerelease=allow", wanted)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(self.bin / "croupier"), *words], env=self.environment, cwd=self.home,
                              capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)  # fmt: skip

    def _do(self, *command: str) -> None:
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.nightly  # each way asks the index for the packages of others: minutes where it is slow
@pytest.mark.parametrize("python", ["3.11", "newest"])
@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("pip", "pip install 'croupier[table]'"),
        ("pipx", "pipx install --force 'croupier[table]'"),
        ("uv", "uv tool install 'croupier[table]'"),
    ],
)
def test_a_plain_install_does_what_the_readme_says_first_and_names_the_rest(
    name: str, command: str, python: str, index: Path, tmp_path: Path
) -> None:
    found = NEWEST if python == "newest" else shutil.which("python3.11") or sys.executable
    way = Way(name, found, tmp_path, index)
    way.install("croupier")
    (core,) = index.glob("croupier_core-*.whl")
    commit = zipfile.ZipFile(core).read("croupier/commit.txt").decode().strip()
    assert way.run("--version").stdout.endswith(f" ({commit})\n")
    cv2.imwrite(str(way.home / "hand.png"), picture([Lying("wild", 400, 300, 20, 150)]))
    told = way.run("tally", "hand.png", "--language", "en")
    assert (told.returncode, told.stderr) == (0, "")
    assert "50" in told.stdout
    assert "argon2" not in way.run("score", "page", "--port", "99999").stderr
    missing = way.run("stats", "--language", "en")
    assert (missing.returncode, missing.stderr) == (2, f"croupier: stats is not installed here: {command}\n")
    way.install("croupier[all]")
    assert "wins" in way.run("stats", "--help", "--language", "en").stdout.lower()
    assert way.run("tournament", "plan", "--players", "8", "--language", "en").returncode == 0
