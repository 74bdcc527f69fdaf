"""Every link, file, module and name in the documents leads somewhere."""

from __future__ import annotations

import fnmatch
import re
from functools import cache
from pathlib import PurePosixPath

import pytest

from croupier import i18n, plugins
from tests.docs.documents import PAGES, anchors, links, prose, spans, tracked
from tools.lock import ROOT
from tools.texts import PACKAGES as CATALOGS

TOP = {path.split("/")[0] for path in tracked() if "/" in path}
SUFFIXES = {".py", ".toml", ".md", ".txt", ".yml", ".yaml", ".csv", ".svg", ".service"}
PACKAGES = {
    "croupier_rules": "host/croupier-rules/croupier_rules", "croupier": "host/croupier/croupier",
    "cardsight": "vision/cardsight", "tablewire": "firmware/lib/tablewire",
    "croupier_hub": "host/croupier-hub/croupier_hub", "croupier_extras": "host/croupier-extras/croupier_extras",
    "croupier_tally": "host/croupier-tally/croupier_tally",
    "croupier_sim": "sim/croupier_sim", "croupier_bench": "benchmarks/croupier_bench",
    "hardware": "hardware", "tools": "tools", "training": "training",
}  # fmt: skip
MADE_BY_THE_USER = {
    "croupier.toml", "table.toml", "cards.txt", "machine.txt", "packages.txt", "README.txt", "config.txt",
    "names.txt", "scores.csv", "table-3.toml", "new.toml", "report.txt",
}  # fmt: skip
"""Files that the program writes, a user makes, or another project has."""
GROUPS = {i18n.TRANSLATIONS} | {
    value for value in vars(plugins).values() if isinstance(value, str) and value.startswith("croupier.")
}
"""Groups of entry points."""

NOT_MODULES = {*GROUPS, "croupier.local", "croupier.toml", "croupier.toml.before"}
ELSEWHERE = {"core_freq", "core_freq_min", "crazy_eights", "mau_mau_bot"}
"""Names of other programs."""


@pytest.mark.parametrize("page", PAGES)
def test_every_link_leads_to_a_file_and_a_heading(page: str) -> None:
    wrong = []
    for link in links(page):
        if re.match(r"https?://", link):
            continue
        name, _, anchor = link.partition("#")
        target = (ROOT / page).parent / name if name else ROOT / page
        if not target.exists() or (anchor and anchor not in anchors(str(target.resolve().relative_to(ROOT)))):
            wrong.append(link)
    assert wrong == []


@pytest.mark.parametrize("page", PAGES)
def test_every_file_exists(page: str) -> None:
    assert [span for span in spans(page) if _is_path(span) and not _is_there(span)] == []


def _is_path(span: str) -> bool:
    if not re.fullmatch(r"[\w.*<>-]+(/[\w.*<>-]*)*", span) or span in MADE_BY_THE_USER:
        return False
    return ("/" in span and span.split("/")[0] in TOP) or PurePosixPath(span).suffix in SUFFIXES


def _is_there(span: str) -> bool:
    """A path from the root of the repository, or the end of one."""
    pattern = re.sub(r"<\w+>", "*", span)
    if (ROOT / pattern).exists():
        return True
    pattern = pattern.rstrip("/")
    return any(fnmatch.fnmatch(path, pattern) or fnmatch.fnmatch(path, f"*/{pattern}") for path in tracked())


@pytest.mark.parametrize("page", PAGES)
def test_every_module_and_what_is_named_in_it_exists(page: str) -> None:
    names = [span for span in spans(page) if re.fullmatch(rf"({'|'.join(PACKAGES)})(\.\w+)+(\(.*\))?", span)]
    assert [name for name in names if name not in NOT_MODULES and not _is_module_or_in_one(name)] == []


def _is_module_or_in_one(name: str) -> bool:
    package, *parts = name.partition("(")[0].split(".")
    at = PACKAGES[package]
    while parts and any(path.startswith((f"{at}/{parts[0]}/", f"{at}/{parts[0]}.py")) for path in tracked()):
        at = f"{at}/{parts.pop(0)}"
    source = ROOT / (f"{at}.py" if (ROOT / f"{at}.py").exists() else f"{at}/__init__.py")
    text = source.read_text(encoding="utf-8")
    return all(re.search(rf"\b{part}\b", text) for part in parts)


@pytest.mark.parametrize("page", PAGES)
def test_every_name_of_the_code_is_in_the_code(page: str) -> None:
    name = re.compile(r"([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[A-Z]{2,}_[A-Z_]+|[a-z]+_[a-z_]+)\b")
    found = {match[1] for span in spans(page) if (match := name.match(span)) and not _is_path(span)}
    assert sorted(found - words_of_the_code() - ELSEWHERE) == []


@cache
def words_of_the_code() -> frozenset[str]:
    """Every file's name, and every word in every text file that is no document."""
    words = {PurePosixPath(path).stem for path in tracked()}
    for path in tracked():
        if not path.endswith((".md", ".png", ".jpg", ".onnx", ".ttf", ".po", ".npz")) and "/docs/" not in path:
            words |= set(re.findall(r"\w+", (ROOT / path).read_text(encoding="utf-8", errors="ignore")))
    return frozenset(words)


@pytest.mark.parametrize("page", ["docs/page.md", "docs/voice.md"])
def test_every_label_in_italics_is_on_the_page(page: str) -> None:
    catalogs = "".join((folder / "i18n/de.po").read_text(encoding="utf-8") for folder in CATALOGS.values())
    texts = re.sub(r'"\n"', "", catalogs)
    labels = re.findall(r"(?<!\*)\*([A-Z][^*]+)\*(?!\*)", " ".join(prose(page).split()))
    assert labels
    assert [label for label in labels if not re.search(rf'"{re.escape(label)}(: {{\w+}})?"', texts)] == []
