"""Writes out/sbom.cdx.json, the software bill of materials of a table (CycloneDX 1.6); run as `make sbom`.

It lists what `deploy/install` installs: the locked packages with the hashes of all their files, the page's script
library, and the card reader's model. The output is reproducible.
"""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any, Final
from uuid import NAMESPACE_URL, uuid5

from tools.lock import DISTRIBUTIONS, LOCKS, ROOT, pins
from tools.version import __version__

OUT: Final = ROOT / "out/sbom.cdx.json"
LOCK: Final = "all"
"""The lock that `deploy/install` uses; on bookworm it is ``pi-bookworm``."""

PAGE: Final = ROOT / "host/croupier/croupier/web/static"
MODEL: Final = ROOT / "vision/cardsight/model"


def sbom(lock: str = LOCK) -> dict[str, Any]:
    """Return the bill of materials of requirements/LOCK.txt and of the files that come with the program."""
    project = DISTRIBUTIONS["croupier"]
    components = [*_packages(lock), *map(_file, sorted([*PAGE.glob("*.min.js"), *MODEL.glob("*.xz")]))]
    content = json.dumps(components, sort_keys=True)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, content)}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": "croupier",
                "name": project["name"],
                "version": __version__,
                "licenses": [{"license": {"id": project["license"]}}],
            },
        },
        "components": components,
        "dependencies": [{"ref": "croupier", "dependsOn": [one["bom-ref"] for one in components]}],
    }


def _packages(lock: str) -> list[dict[str, Any]]:
    text = (LOCKS / f"{lock}.txt").read_text(encoding="utf-8")
    found = []
    for pin in pins(lock):
        version = next(iter(pin.specifier)).version
        purl = f"pkg:pypi/{re.sub(r'[-_.]+', '-', pin.name).lower()}@{version}"
        (lines,) = re.findall(rf"^{re.escape(pin.name)}==.*\n((?: +--hash=.*\n?)+)", text, re.MULTILINE)
        hashes = re.findall(r"sha256:([0-9a-f]{64})", lines)
        component: dict[str, Any] = {
            "type": "library",
            "bom-ref": purl,
            "name": pin.name,
            "version": version,
            "purl": purl,
            # One for each file of the release; one of them is installed.
            "externalReferences": [
                {"type": "distribution", "url": purl, "hashes": [{"alg": "SHA-256", "content": one} for one in hashes]}
            ],
        }
        if pin.marker is not None:
            component["properties"] = [{"name": "croupier:only-if", "value": str(pin.marker)}]
        found.append(component)
    return found


def _file(path: Path) -> dict[str, Any]:
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    name = path.relative_to(ROOT).as_posix()
    kind = "machine-learning-model" if path.is_relative_to(MODEL) else "library"
    return {"type": kind, "bom-ref": name, "name": name, "hashes": [{"alg": "SHA-256", "content": digest}]}


def main() -> None:
    """Write the file."""
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(json.dumps(sbom(), indent=1) + "\n", encoding="utf-8")
    print(f"{OUT.relative_to(ROOT)}: {len(sbom()['components'])} components")


if __name__ == "__main__":
    main()
