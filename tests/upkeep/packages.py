"""Small packages of Croupier, signed with a key of their own."""

from __future__ import annotations

import tarfile
from base64 import b64encode
from dataclasses import dataclass, field
from hashlib import blake2b
from io import BytesIO
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

NUMBER = b"12345678"
FILES = {"bin/python": b"#!/bin/sh\necho croupier\n", "lib/site.py": b"x = 1\n" * 500}


def content(version: str) -> dict[str, bytes]:
    """The files of a version."""
    return {
        **{name: data + f"# {version}\n".encode() for name, data in FILES.items()},
        "croupier-version": f"{version}\n".encode(),
    }


def _tar(files: dict[str, bytes]) -> bytes:
    made = BytesIO()
    with tarfile.open(fileobj=made, mode="w:xz") as out:
        for name, data in files.items():
            one = tarfile.TarInfo(f"./{name}")
            one.size, one.mode = len(data), 0o755
            out.addfile(one, BytesIO(data))
    return made.getvalue()


def package(
    folder: Path,
    version: str,
    *,
    machine: str = "amd64",
    system: str = "bookworm",
    inside: str = "",
    name: str = "croupier",
) -> Path:
    """A package with `content`, which lies below ``inside`` if that is not its version."""
    control = f"Package: {name}\nVersion: {version}+deb12\nArchitecture: {machine}\nX-Croupier-System: {system}\n"
    tree = {f"opt/croupier/{inside or version}/{name}": data for name, data in content(version).items()}
    file = folder / f"croupier_{version}+deb12_{machine}.deb"
    whole = b"!<arch>\n"
    for member, data in (("debian-binary", b"2.0\n"), ("control.tar.xz", _tar({"control": control.encode()})),
                         ("data.tar.xz", _tar(tree))):  # fmt: skip
        whole += (
            f"{member:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode() + data + b"\n" * (len(data) % 2)
        )
    file.write_bytes(whole)
    return file


@dataclass
class Signer:
    """Who signs, as minisign does it."""

    key: Ed25519PrivateKey = field(default_factory=Ed25519PrivateKey.generate)
    number: bytes = NUMBER

    def public(self, file: Path) -> Path:
        raw = self.key.public_key().public_bytes_raw()
        file.write_text(f"untrusted comment: a key\n{b64encode(b'Ed' + self.number + raw).decode()}\n")
        return file

    def sign(self, file: Path) -> Path:
        first = self.key.sign(blake2b(file.read_bytes()).digest())
        second = self.key.sign(first + b"of a test")
        packed = b64encode(b"ED" + self.number + first).decode()
        text = f"untrusted comment: signature\n{packed}\ntrusted comment: of a test\n{b64encode(second).decode()}\n"
        file.with_name(f"{file.name}.minisig").write_text(text)
        return file
