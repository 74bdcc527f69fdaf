"""The site of the documentation (`make site`): all pages, and nothing from elsewhere."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.documents import text_of
from tools import site
from tools.lock import ROOT

SETTINGS = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


def listed(nav: Any) -> list[str]:
    """The pages of a navigation."""
    if isinstance(nav, str):
        return [nav]
    parts = nav.values() if isinstance(nav, dict) else nav
    return [page for part in parts for page in listed(part)]


def test_every_page_is_in_the_navigation_once() -> None:
    made = [f"api/{package}.md" for package in site.PACKAGES]
    assert sorted(listed(SETTINGS["nav"])) == sorted([*site.pages(), *made])


def test_a_broken_link_is_an_error_and_no_font_comes_from_elsewhere() -> None:
    assert SETTINGS["strict"] is True
    assert set(SETTINGS["validation"]["links"].values()) == {"warn"}
    assert SETTINGS["theme"]["font"] is False


@pytest.mark.parametrize(
    ("link", "laid_out"),
    [
        ("[the page](page.md#keys)", "[the page](page.md#keys)"),
        ("[cards](../vision/cardsight)", "cards (`vision/cardsight`)"),
        ("[an example](../examples/judge.py)", "[an example](../examples/judge.py)"),
        ("[elsewhere](https://semver.org/)", "[elsewhere](https://semver.org/)"),
        ("```\n[a](nowhere)\n```", "```\n[a](nowhere)\n```"),
    ],
)
def test_links_hold_in_the_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, link: str, laid_out: str) -> None:
    monkeypatch.setattr(site, "PAGES", tmp_path)
    assert site.lay_out("docs/api.md", link, frozenset(["docs/page.md"])) == laid_out
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.py")] == ["examples/judge.py"] * (
        "examples" in link
    )


@pytest.mark.parametrize("package", site.PACKAGES)
def test_the_reference_has_the_public_classes_and_functions(package: str) -> None:
    lines = "\n".join(site.reference(package))
    public = [name for name in import_module(package).__all__ if callable(getattr(import_module(package), name))]
    assert [name for name in public if hasattr(getattr(import_module(package), name), "__qualname__")
            and f"## `{name}`" not in lines] == []  # fmt: skip
    assert f"`{package}`" in text_of("docs/api.md")


def test_an_alias_of_a_type_is_explained_by_its_own_docstring() -> None:
    lines = "\n".join(site.reference("cardsight"))
    assert "## `Corners`\n\n::: cardsight.sighting.Corners\n" in lines
    assert "## `Picture`\n\n::: cardsight.sources.picture.Picture\n" in lines
    assert "::: builtins" not in lines
