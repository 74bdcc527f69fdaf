"""An update, and going back: another version takes over, and is kept only if the table works with it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol
from urllib.error import URLError
from urllib.request import urlopen

from packaging.version import InvalidVersion, Version

from croupier.i18n import _, marked
from croupier_extras.errors import BadUpdate
from croupier_extras.upkeep.minisign import PublicKey, check
from croupier_extras.upkeep.package import Package
from croupier_extras.upkeep.versions import CURRENT, Versions
from croupier_rules.errors import json_object

STATE: Final = Path("/var/lib/croupier")
DEVICES: Final = ("camera.opens", "pico.firmware")
"""Checks of `croupier doctor` that the new version must pass if the old one did: camera and Pico are as before."""

WORKS: Final = ("ok", "warning")
"""What the doctor says of a device that can be used."""

ANSWER_S: Final = 30.0
MOST_BYTES: Final = 1 << 16
START_S: Final = 30.0
DOCTOR_S: Final = 120.0
FIRMWARE_S: Final = 300.0


class Table(Protocol):
    """The table of this machine, as an update needs it."""

    def is_running(self) -> bool:
        """True if the service runs."""

    def stop(self) -> None:
        """Stop it, as far as it runs."""

    def start(self) -> bool:
        """Start it with the current version; false if it does not get so far."""

    def devices(self, version: Path) -> Mapping[str, str]:
        """What the doctor of a version says of each of `DEVICES`, while the table is stopped."""

    def starts(self, version: Path) -> bool:
        """True if the program of a version can be started at all."""

    def put_firmware(self, version: Path) -> None:
        """Bring the Pico's firmware to that of a version, if there is a Pico with another one."""

    def fault(self) -> str:
        """What does not work at the running table: page and journal; "" if nothing."""


@dataclass(frozen=True, slots=True)
class Update:
    """A change of the version. ``say``: tells a step."""

    versions: Versions
    table: Table
    say: Callable[[str], None]

    def to(self, version: str) -> None:
        """Let ``version``, which is there, take over; go back if the table does not work with it.

        Raises:
            BadUpdate: it does not work; the version from before runs again.
        """
        was, ran = self.versions.linked(CURRENT), self.table.is_running()
        new, old = self.versions.folder / version, self.versions.folder / was
        if not self.table.starts(new):
            raise BadUpdate(marked("version {version} does not start here; nothing was changed"), version=version)
        try:
            self.table.stop()
            before = self.table.devices(old)
            self.versions.point(CURRENT, version)
            self.say(_("Version {version} is tried.", version=version))
            self.table.put_firmware(new)
            after = self.table.devices(new)
            why = ", ".join(name for name, state in before.items() if state in WORKS and after.get(name) not in WORKS)
            if not why and ran:
                why = "" if self.table.start() else "croupier.service"
                why = why or self.table.fault()
            if why:
                text = marked("with version {version} this did not work: {why}; version {was} runs again")
                raise BadUpdate(text, version=version, why=why, was=was)
        except BaseException:
            self.table.stop()
            good = self.versions.go_back()
            self.table.put_firmware(self.versions.folder / good)
            if ran:
                self.table.start()
            raise
        self.versions.accept()


def take(
    file: Path, key: PublicKey, versions: Versions, machine: str, system: str, *, older: bool = False,
    on_read: Callable[[int], None] = lambda n: None, on_file: Callable[[], None] = lambda: None,
) -> str:  # fmt: skip
    """Put the version of a signed package beside the others, and return it. ``older``: it may be older than the
    current one.

    Raises:
        BadUpdate: the package is none, is not whole, is for another machine, older, or not signed with ``key``.
    """
    check(file, key, on_read)
    package = Package.read(file)
    package.check_system(machine, system)
    version, current = package.version, versions.linked(CURRENT)
    try:
        is_older = bool(current) and Version(version) < Version(current)
    except InvalidVersion as err:
        raise BadUpdate(marked("{file}: not a package of Croupier"), file=file) from err
    if is_older and not older:
        text = marked("{file} is version {version}, and {current} runs here; with --older it is taken all the same")
        raise BadUpdate(text, file=file, version=version, current=current)
    versions.add(version, lambda folder: package.unpack(folder, on_file))
    return version


def newest(folder: Path, machine: str, system: str) -> Path:
    """The package with the newest version for this machine in a folder, such as a USB stick. Raises `BadUpdate`."""
    found: list[tuple[Version, Path]] = []
    for file in sorted(folder.glob(f"croupier_*_{machine}.deb")):
        try:
            package = Package.read(file)
            package.check_system(machine, system)
            found.append((Version(package.version), file))
        except (BadUpdate, InvalidVersion):
            continue
    if not found:
        text = marked("{folder}: no package for this machine; expected a file croupier_…_{machine}.deb for {system}")
        raise BadUpdate(text, folder=folder, machine=machine, system=system)
    return max(found)[1]


def fetch(address: str, machine: str, system: str, folder: Path, on_read: Callable[[int], None]) -> Path:
    """Fetch the newest package for this machine, and its signature, from an index: a folder on the web with a file
    ``updates.json``, which has the name of a package for each release and machine. Raises `BadUpdate`."""
    base = address.rstrip("/")
    try:
        with urlopen(f"{base}/updates.json", timeout=ANSWER_S) as answer:
            name = json_object(answer.read(MOST_BYTES).decode()).get(f"{system} {machine}", "")
        if not name or "/" in name:
            raise BadUpdate(marked("{address} has no package for {system} {machine}"), address=address, system=system,
                            machine=machine)  # fmt: skip
        for one in (name, f"{name}.minisig"):
            with urlopen(f"{base}/{one}", timeout=ANSWER_S) as answer, (folder / one).open("wb") as out:
                while chunk := answer.read(1 << 18):
                    out.write(chunk)
                    on_read(len(chunk))
    except (URLError, OSError, ValueError, AttributeError) as err:
        why = getattr(err, "reason", None) or err
        raise BadUpdate(marked("{address}: {why}; look at the network, or take the package from a USB stick"),
                        address=address, why=str(why)) from err  # fmt: skip
    return folder / str(name)


@dataclass(slots=True)
class Service:
    """The table as a service of systemd. ``config``: its croupier.toml; ``user``: whom it belongs to."""

    config: Path = STATE / "croupier.toml"
    user: str = "croupier"
    _unit: str = field(default="croupier.service")

    def is_running(self) -> bool:
        """As `Table.is_running`."""
        return self._do("systemctl", "is-active", "--quiet", self._unit) == 0

    def stop(self) -> None:
        """As `Table.stop`."""
        self._do("systemctl", "stop", self._unit)

    def start(self) -> bool:
        """As `Table.start`: the unit tells systemd when the table runs."""
        self._do("systemctl", "reset-failed", self._unit)
        return self._do("systemctl", "start", self._unit) == 0

    def starts(self, version: Path) -> bool:
        """As `Table.starts`."""
        return self._do(*self._program(version), "--version", seconds=START_S) == 0

    def devices(self, version: Path) -> Mapping[str, str]:
        """As `Table.devices`."""
        if not self.config.exists():
            return {}
        only = [word for name in DEVICES for word in ("--only", name)]
        try:
            done = subprocess.run(self._as_user(version, "doctor", "--json", *only), cwd=self.config.parent,
                                  capture_output=True, text=True, check=False, timeout=DOCTOR_S)  # fmt: skip
            return {line["id"]: line["state"] for line in json_object(done.stdout)["findings"]}
        except (OSError, ValueError, KeyError, TypeError, subprocess.TimeoutExpired):
            return {}

    def put_firmware(self, version: Path) -> None:
        """As `Table.put_firmware`."""
        if not self.config.exists():
            return
        from croupier.config import load
        from croupier.config.model import uses_pico

        config = load(self.config)
        if uses_pico(config) and self.devices(version).get("pico.firmware") == "wrong":
            self._do(*self._as_user(version, "firmware", "install", "--port", config.pico.port), seconds=FIRMWARE_S)

    def fault(self) -> str:
        """As `Table.fault`."""
        from croupier.config import load
        from croupier.errors import CroupierError
        from croupier.journal import Archive

        try:
            config = load(self.config)
            with Archive(config.journal.file) as archive:
                archive.began()
        except CroupierError as err:
            return str(err)
        if not config.page.on:
            return ""
        address = f"http://127.0.0.1:{config.page.port or 8300}/"
        try:
            with urlopen(address, timeout=ANSWER_S) as answer:
                return "" if answer.status == 200 else address
        except (URLError, OSError) as err:
            return f"{address}: {getattr(err, 'reason', err)}"

    def _program(self, version: Path) -> list[str]:
        return [str(version / "bin/python"), "-P", "-m", "croupier"]

    def _as_user(self, version: Path, *words: str) -> list[str]:
        return ["runuser", "-u", self.user, "--", *self._program(version), *words]

    def _do(self, *command: str, seconds: float | None = None) -> int:
        try:
            done = subprocess.run(command, cwd=self.config.parent if self.config.exists() else None,
                                  capture_output=True, check=False, timeout=seconds)  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            return 1
        return done.returncode
