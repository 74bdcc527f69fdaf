"""Builds the Debian package, for a release of Debian and a kind of machine, without being on it: `make deb`.

    python -m tools.deb [--system bookworm|trixie] [--machine amd64|arm64] [--into FOLDER] [--fast]

The whole program with its environment lies in ``/opt/croupier/VERSION``: wheels for that machine and that Python, of
the versions of requirements/, unpacked and compiled. Nothing is compiled or downloaded on the device.
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from typing import Final

from packaging.markers import Marker

from tools.lock import LOCKS, ROOT, WORKSPACE

DEPLOY: Final = ROOT / "deploy"
SYSTEMS: Final = {"bookworm": ("12", "3.11", "pi-bookworm"), "trixie": ("13", "3.13", "all")}
"""By code name: the number of the release, its Python, and the lock that fits its packages."""

MACHINES: Final = {"amd64": "x86_64", "arm64": "aarch64"}
GLIBC: Final = ("2_17", "2_24", "2_26", "2_27", "2_28", "2_31", "2_34", "2_35", "2_36")
"""Versions of manylinux that both releases run."""

MAINTAINER: Final = "Croupier <croupier@localhost>"
"""Whoever builds the package serves it: there is no address that answers for all of them."""

GROUPS: Final = ("dialout", "gpio", "spi", "video", "render", "audio")


def build(system: str, machine: str, into: Path, *, fast: bool = False) -> Path:
    """Build the package of a release and a machine; return its file. ``fast``: a larger one, in less time."""
    number, python, lock = SYSTEMS[system]
    into.mkdir(parents=True, exist_ok=True)
    epoch = _git("log", "-1", "--format=%ct") or "1700000000"
    environment = {**os.environ, "SOURCE_DATE_EPOCH": epoch, "PYTHONHASHSEED": "0"}
    with tempfile.TemporaryDirectory(prefix="croupier-deb-") as folder:
        tree, wheels = Path(folder) / "tree", Path(folder) / "wheels"
        for name in WORKSPACE["tool"]["workspace"]["distributions"]:
            if Path(name).name not in ("benchmarks",):
                command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)]
                subprocess.run(command, cwd=ROOT / name, env=environment, check=True, capture_output=True)
        (core,) = wheels.glob("croupier_core-*.whl")
        version = core.name.split("-")[1]
        home = tree / "opt/croupier" / version
        site = home / f"lib/python{python}/site-packages"
        site.mkdir(parents=True)
        requirements = Path(folder) / "requirements.txt"
        requirements.write_text("\n".join(_for_machine(LOCKS / f"{lock}.txt", python, MACHINES[machine])))
        platforms = [word for one in GLIBC for word in ("--platform", f"manylinux_{one}_{MACHINES[machine]}")]
        platforms += ["--platform", f"manylinux2014_{MACHINES[machine]}", "--platform", f"linux_{MACHINES[machine]}"]
        pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", "install", "--no-deps", "--no-compile",
               "--target", str(site), "--python-version", python, "--implementation", "cp",
               "--only-binary", ":all:", *platforms]  # fmt: skip
        subprocess.run([*pip, "--require-hashes", "-r", str(requirements)], env=environment, check=True)
        subprocess.run([*pip, "--no-index", *map(str, sorted(wheels.glob("*.whl")))], env=environment, check=True)
        _make_environment(home, site, python, version)
        deb_version = f"{version.replace('.dev', '~dev')}+deb{number}"
        _add_system_files(tree, version)
        _add_changes(tree, deb_version, int(epoch))
        _settle(tree, int(epoch))
        size = sum(file.stat().st_size for file in tree.rglob("*") if file.is_file() and not file.is_symlink())
        control = tree / "DEBIAN"
        control.mkdir()
        following = f"{python.split('.')[0]}.{int(python.split('.')[1]) + 1}"
        fields = {
            "Package": "croupier", "Version": deb_version, "Architecture": machine, "X-Croupier-System": system,
            "Maintainer": MAINTAINER, "Section": "misc", "Priority": "optional",
            "Installed-Size": str(size // 1024),
            "Pre-Depends": "init-system-helpers (>= 1.54)",
            "Depends": f"python3 (>= {python}), python3 (<< {following}), systemd, libc6",
            "Recommends": "alsa-utils, espeak-ng, python3-gpiozero, python3-lgpio, python3-picamera2",
            "Description": "card table that deals, watches and referees a game of UNO\n"
            " Reads the cards with a camera, keeps the score, and shows both on a page\n"
            " in the browser. Each version has a folder of its own, so that an update\n"
            " with which the table does not work goes back by itself.",
        }  # fmt: skip
        (control / "control").write_text("".join(f"{name}: {value}\n" for name, value in fields.items()))
        for script in ("preinst", "postinst", "prerm", "postrm"):
            text = (DEPLOY / "debian" / script).read_text(encoding="utf-8").replace("@VERSION@", version)
            (control / script).write_text(text)
            (control / script).chmod(0o755)
        conffiles = [f"/{file.relative_to(tree)}" for file in sorted((tree / "etc").rglob("*")) if file.is_file()]
        if conffiles:
            (control / "conffiles").write_text("".join(f"{one}\n" for one in conffiles))
        _settle(control, int(epoch))
        made = into / f"croupier_{deb_version}_{machine}.deb"
        pack = [
            "dpkg-deb",
            "--root-owner-group",
            *(("-Zgzip", "-z1") if fast else ("-Zxz", "-z6")),
            "--build",
            str(tree),
            str(made),
        ]
        subprocess.run(pack, env=environment, check=True, capture_output=True)
    return made


def _for_machine(lock: Path, python: str, machine: str) -> Iterator[str]:
    """The lines of a lock that hold for a Python and a machine, without their conditions."""
    here = {"python_version": python, "python_full_version": f"{python}.2", "platform_machine": machine,
            "sys_platform": "linux", "platform_system": "Linux", "os_name": "posix",
            "implementation_name": "cpython", "platform_python_implementation": "CPython"}  # fmt: skip
    takes = False
    for line in lock.read_text(encoding="utf-8").splitlines():
        if line[:1].isalnum():
            pin, semicolon, condition = line.removesuffix("\\").partition(";")
            takes = not semicolon or Marker(condition.strip()).evaluate(here)
            if takes:
                yield f"{pin.strip()} \\"
        elif takes and line.strip().startswith("--hash"):
            yield line


def _make_environment(home: Path, site: Path, python: str, version: str) -> None:
    shutil.rmtree(site / "bin", ignore_errors=True)
    for one in site.glob("*.dist-info"):
        (one / "direct_url.json").unlink(missing_ok=True)
        record = one / "RECORD"
        lines = [line for line in record.read_text(encoding="utf-8").splitlines()
                 if not line.startswith(("../", "bin/")) and "direct_url.json" not in line]  # fmt: skip
        record.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (home / "bin").mkdir()
    (home / "bin/python").symlink_to(f"/usr/bin/python{python}")
    settings = {"home": "/usr/bin", "include-system-site-packages": "true", "version": python}
    (home / "pyvenv.cfg").write_text("".join(f"{key} = {value}\n" for key, value in settings.items()))
    compiler = shutil.which(f"python{python}")
    if compiler is None:
        raise SystemExit(f"tools.deb: python{python} is not here, which compiles for that release")
    inside = f"/opt/croupier/{version}/lib/python{python}/site-packages"
    command = [
        compiler,
        "-m",
        "compileall",
        "-q",
        "--invalidation-mode",
        "unchecked-hash",
        "-s",
        str(site),
        "-p",
        inside,
    ]
    # Some packages bring files for other Pythons, which this one cannot compile.
    subprocess.run([*command, str(site)], check=False, stdout=subprocess.DEVNULL)
    (home / "croupier-version").write_text(f"{version}\n")


def _add_system_files(tree: Path, version: str) -> None:
    """Units, rule for the Pico, user and groups, the command, its page of the manual, licenses."""

    def put(path: str, text: str, mode: int = 0o644) -> None:
        file = tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(mode)

    for name in ("croupier.service", "croupier-page.service", "croupier-page.socket"):
        unit = (DEPLOY / name).read_text(encoding="utf-8").replace("@USER@", "croupier")
        unit = unit.replace("@PREFIX@/venv/bin/croupier", "/usr/bin/croupier")
        unit = unit.replace("@PREFIX@/venv/bin/python", "/opt/croupier/current/bin/python")
        unit = unit.replace("Put in place by deploy/install, which fills in the folder of the program and the user.",
                            "Of the package croupier.")  # fmt: skip
        unit = re.sub("^SupplementaryGroups=.*", f"SupplementaryGroups={' '.join(GROUPS)}", unit, flags=re.MULTILINE)
        if name == "croupier.service":
            guard = "# As root: goes back to the last good version, if an update was cut off.\n"
            guard += "ExecStartPre=+/usr/lib/croupier/croupier-start\n"
            unit = unit.replace("ExecStart=/usr/bin", f"{guard}ExecStart=/usr/bin")
            unit = unit.replace("[Unit]\n", "[Unit]\nOnFailure=croupier-failed.service\n", 1)
        put(f"usr/lib/systemd/system/{name}", unit)
    for name in ("croupier-failed.service", "croupier-update.path", "croupier-update.service"):
        put(f"usr/lib/systemd/system/{name}", (DEPLOY / name).read_text(encoding="utf-8"))
    put("usr/lib/udev/rules.d/99-croupier.rules", (DEPLOY / "99-croupier.rules").read_text(encoding="utf-8"))
    members = "".join(f"m croupier {group}\n" for group in GROUPS)
    groups = "".join(f"g {group} -\n" for group in GROUPS)
    put("usr/lib/sysusers.d/croupier.conf", f'{groups}u croupier - "Croupier" /var/lib/croupier\n{members}')
    put("usr/bin/croupier", (DEPLOY / "croupier").read_text(encoding="utf-8"), 0o755)
    for name in ("croupier-start", "croupier-failed"):
        put(f"usr/lib/croupier/{name}", (DEPLOY / name).read_text(encoding="utf-8"), 0o755)
    if (key := DEPLOY / "update.pub").exists():
        put("etc/croupier/update.pub", key.read_text(encoding="utf-8"))
    put(
        "usr/share/doc/croupier/copyright",
        f"Croupier {version}\n\n{(ROOT / 'LICENSE').read_text(encoding='utf-8')}\n"
        f"The licenses of the packages in it are in /opt/croupier/{version}/lib/python3.*/site-packages/*.dist-info.\n",
    )
    put("usr/share/lintian/overrides/croupier", (DEPLOY / "debian/lintian-overrides").read_text(encoding="utf-8"))
    manual = tree / "usr/share/man/man1/croupier.1.gz"
    manual.parent.mkdir(parents=True)
    manual.write_bytes(gzip.compress(man_page(version).encode(), mtime=0))


def _add_changes(tree: Path, deb_version: str, epoch: int) -> None:
    """The list of changes, and the entry that Debian's tools read."""
    folder = tree / "usr/share/doc/croupier"
    (folder / "CHANGELOG.md.gz").write_bytes(gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), mtime=0))
    entry = f"croupier ({deb_version}) stable; urgency=medium\n\n  * What has changed is told in CHANGELOG.md.gz.\n\n"
    entry += f" -- {MAINTAINER}  {format_datetime(datetime.fromtimestamp(epoch, UTC))}\n"
    (folder / "changelog.gz").write_bytes(gzip.compress(entry.encode(), mtime=0))


def man_page(version: str) -> str:
    """The page of the manual, from the help of each command."""
    from croupier.cli.main import program

    def escaped(text: str) -> str:
        return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"), flags=re.MULTILINE)

    whole = program()
    lines = [f'.TH CROUPIER 1 "" "croupier {version}" "Croupier"', ".SH NAME",
             "croupier \\- a card table that deals, watches and referees a game of UNO", ".SH SYNOPSIS",
             ".B croupier", "[\\-\\-language CODE] COMMAND [ARGUMENT ...]", ".SH DESCRIPTION",
             escaped(whole.help or ""), ".SH COMMANDS"]  # fmt: skip
    for name, command in sorted(whole.commands.items()):
        if command.hidden:
            continue
        about = " ".join((command.help or "").split("\n\n")[0].split())
        lines += [".TP", f".B {escaped(name)}", escaped(about)]
    lines += [".PP", "croupier COMMAND \\-\\-help tells the options of a command.", ".SH FILES", ".TP",
              ".I /var/lib/croupier/croupier.toml", "describes the table of the service"]  # fmt: skip
    return "\n".join(lines) + "\n"


def _settle(tree: Path, epoch: int) -> None:
    """Give all files the same rights and times on every machine that builds."""
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():
            # A library is loaded, not started; wheels mark some of them as programs.
            is_program = path.is_dir() or (path.stat().st_mode & 0o100 and ".so" not in path.suffixes)
            path.chmod(0o755 if is_program else 0o644)
        os.utime(path, (epoch, epoch), follow_symlinks=False)


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def main() -> None:
    """Build the package that the command line names."""
    parser = argparse.ArgumentParser(description="Builds the Debian package.")
    parser.add_argument("--system", choices=SYSTEMS, default="bookworm")
    parser.add_argument("--machine", choices=MACHINES, default="amd64")
    parser.add_argument("--into", type=Path, default=ROOT / "out/deb")
    parser.add_argument("--fast", action="store_true", help="pack it less, in a minute")
    asked = parser.parse_args()
    print(build(asked.system, asked.machine, asked.into, fast=asked.fast))


if __name__ == "__main__":
    main()
