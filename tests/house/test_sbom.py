"""The bill of materials names what the locks pin, with the hashes that pip checks."""

from __future__ import annotations

import hashlib
import json
import re

import pytest

from tools import sbom
from tools.lock import LOCKS, ROOT, pins


@pytest.mark.parametrize("lock", ["all", "pi-bookworm"])
def test_every_pinned_package_is_listed_with_all_hashes_that_pip_accepts(lock: str) -> None:
    text = (LOCKS / f"{lock}.txt").read_text(encoding="utf-8")
    packages = [one for one in sbom.sbom(lock)["components"] if one["bom-ref"].startswith("pkg:pypi/")]
    assert len(packages) == len(pins(lock)) > 30
    for pin, package in zip(pins(lock), packages, strict=True):
        assert str(pin).partition(";")[0].strip() == f"{package['name']}=={package['version']}"
        assert package["purl"] == f"pkg:pypi/{pin.name.lower()}@{package['version']}"
    hashes = [one["content"] for each in packages for one in each["externalReferences"][0]["hashes"]]
    assert sorted(hashes) == sorted(re.findall("sha256:([0-9a-f]{64})", text))


def test_what_is_no_package_is_listed_by_the_hash_of_its_file() -> None:
    files = {one["name"]: one for one in sbom.sbom()["components"] if "hashes" in one}
    assert {name.rpartition("/")[2] for name in files if name.endswith(".js")} == {"htmx.min.js", "hx-sse.min.js"}
    assert {ROOT / name for name in files if name.endswith(".xz")} == set(
        (ROOT / "vision/cardsight/model").glob("*.xz")
    )
    assert all(
        hashlib.sha256((ROOT / name).read_bytes()).hexdigest() == one["hashes"][0]["content"]
        for name, one in files.items()
    )


def test_references_are_unique_and_the_same_checkout_gives_the_same_bytes() -> None:
    bill = sbom.sbom()
    references = [one["bom-ref"] for one in bill["components"]]
    assert len(references) == len(set(references))
    assert bill["dependencies"][0]["dependsOn"] == references
    assert json.dumps(sbom.sbom()) == json.dumps(bill)
    assert sbom.sbom("pi-bookworm")["serialNumber"] != bill["serialNumber"]
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", bill["serialNumber"])
