"""Counts the instructions that the card reader executes on the processors of Raspberry Pis, in several runtimes; run as
`make pi-instructions`.

It needs no Raspberry Pi: qemu executes the same instructions as the processor, and a plugin counts them. (A clock says
nothing in an emulator.) Fewer instructions for the same network are less time, if not in proportion. The emulated
computer has Debian's Python, and the wheels that a Raspberry Pi gets.
"""

from __future__ import annotations

import hashlib
import lzma
import os
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import cv2

from croupier_bench.vision import table_picture
from tools.lock import pins
from tools.pi_instructions.guest import PASSES
from tools.pi_wheels import TARGETS

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parent.parent
WORK: Final = ROOT / ".cache" / "pi-instructions"
DEBIAN: Final = "https://deb.debian.org/debian"
PACKAGES: Final = (
    "libc6", "libexpat1", "libffi8", "libgcc-s1", "libpython3.11-minimal", "libpython3.11-stdlib", "libstdc++6",
    "libuuid1", "python3.11-minimal", "zlib1g", "libbz2-1.0", "liblzma5", "libssl3",
)  # fmt: skip
"""Libraries that Python and the wheels need."""
WHEELS: Final = ("numpy", "opencv-python-headless")
ONNXRUNTIME: Final = "onnxruntime==1.23.2"
"""The newest one that starts in qemu 7.2."""
PROCESSORS: Final = {
    "Raspberry Pi 4": ("cortex-a72", ("opencv", "onnxruntime")),
    "Raspberry Pi 5": ("cortex-a76", ("opencv", "half", "onnxruntime")),
}
"""Their names in qemu, and their runtimes; ``half``: OpenCV in half precision."""


def main() -> int:
    """Print millions of instructions, by processor, runtime and work. Returns 0; 1 if a guest failed; 2 if it cannot be
    made."""
    if missing := [name for name in ("qemu-aarch64", "gcc", "dpkg") if shutil.which(name) is None]:
        print(f"make pi-instructions: {', '.join(missing)} is not installed; see {HERE / 'apt.txt'}", file=sys.stderr)
        return 2
    root, site, plugin = WORK / "root", WORK / "site", WORK / "count.so"
    try:
        if not site.exists():
            unpack_packages(root)
            unpack_wheels(site)
    except (OSError, subprocess.CalledProcessError) as fault:
        print(f"make pi-instructions: Debian's packages and the wheels cannot be fetched: {fault}", file=sys.stderr)
        return 2
    subprocess.run(["gcc", "-shared", "-fPIC", "-O2", "-o", plugin, HERE / "count.c"], check=True)
    picture = WORK / "table.png"
    cv2.imwrite(str(picture), table_picture())
    for pi, (processor, runtimes) in PROCESSORS.items():
        for runtime in runtimes:
            command = ["qemu-aarch64", "-L", root, "-cpu", processor, "-plugin", plugin]
            command += [root / "usr/bin/python3.11", HERE / "guest.py", runtime, picture]
            ran = subprocess.run(list(map(str, command)), env=environment(root, site), capture_output=True, text=True)
            if ran.returncode:
                print(f"make pi-instructions: {runtime} ended with {ran.returncode}: {ran.stderr}", file=sys.stderr)
                return 1
            counts = [int(line.split()[1]) for line in ran.stderr.splitlines() if line.startswith("instructions ")]
            for work, begin, end in zip(ran.stdout.splitlines(), counts[::2], counts[1::2], strict=True):
                print(f"{pi:16} {runtime:12} {(end - begin) / PASSES / 1e6:8.2f} M  {work}", flush=True)
    return 0


def environment(root: Path, site: Path) -> Mapping[str, str]:
    """Return the environment of the emulated Python: the wheels, and this repository."""
    where = os.pathsep.join(map(str, (site, ROOT / "vision", ROOT / "host/croupier-rules")))
    return {**os.environ, "PYTHONHOME": str(root / "usr"), "PYTHONPATH": where, "PYTHONDONTWRITEBYTECODE": "1"}


def unpack_packages(root: Path) -> None:
    """Unpack Debian's packages for ARM into a folder. Raises `SystemExit` if the hash of a package differs from the
    index."""
    root.mkdir(parents=True, exist_ok=True)
    for name, path, sha256 in _index():
        if name in PACKAGES:
            content = _fetched(f"{DEBIAN}/{path}")
            if hashlib.sha256(content).hexdigest() != sha256:
                raise SystemExit(f"make pi-instructions: {name} is not the package of the index")
            (WORK / "package.deb").write_bytes(content)
            subprocess.run(["dpkg", "-x", WORK / "package.deb", root], check=True)


def _index() -> Iterator[tuple[str, str, str]]:
    """Yield each package of Debian 12 for ARM: its name, path and hash."""
    content = lzma.decompress(_fetched(f"{DEBIAN}/dists/bookworm/main/binary-arm64/Packages.xz")).decode()
    for package in content.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in package.splitlines() if ": " in line and line[0] != " ")
        if fields:
            yield fields["Package"], fields["Filename"], fields["SHA256"]


def _fetched(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=60) as answer:
        content: bytes = answer.read()
    return content


def unpack_wheels(site: Path) -> None:
    """Install the locked wheels of Raspberry Pi OS, and onnxruntime, into a folder."""
    target = TARGETS[0]
    locked = [f"{one.name}{one.specifier}" for one in pins(target.lock) if one.name in WHEELS]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "install", "--no-deps", "--no-compile"]
    where = ["--ignore-requires-python", "--target", str(site)]
    subprocess.run([*pip, *where, *target.pip_options, *locked, ONNXRUNTIME], check=True)


if __name__ == "__main__":
    sys.exit(main())
