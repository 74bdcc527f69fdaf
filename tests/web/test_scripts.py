"""The scripts of a page, which share one scope and come joined."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from croupier.web.pages import STATIC, page_plugins
from croupier.web.static_files import PageFiles

TEMPLATES = STATIC.parent / "templates"
SCRIPT = re.compile(r'(?:<script src="/static/|{% set scripts = "|\("\+)([^"]+)"')
TAG = re.compile(r"{%.*?%}|{{ scripts \| default\('|'\) }}")
DECLARED = re.compile(r"^(?:async )?(?:function|const|let|var|class) (\w+)", re.MULTILINE)


OF_PLUGINS = "{{ script }}"


def scripts(name: str) -> list[Path]:
    """The scripts of a page, with those of what it extends and includes, and of plug-ins."""
    text = (TEMPLATES / name).read_text(encoding="utf-8")
    parts = re.findall(r'{% (?:extends|include|import) "([^"]+)"', text)
    own = [
        STATIC / one for joined in SCRIPT.findall(text) for one in TAG.sub("", joined).split("+") if one != OF_PLUGINS
    ]
    of_plugins = [
        plugin.folder / "static" / script
        for plugin in (page_plugins().values() if OF_PLUGINS in text else ())
        for script in plugin.scripts
    ]
    return [*(one for part in parts for one in scripts(part)), *own, *of_plugins]


@pytest.mark.parametrize("name", sorted(file.name for file in TEMPLATES.glob("*.html")))
def test_no_two_scripts_of_a_page_declare_the_same_name(name: str) -> None:
    ours = {one for one in scripts(name) if ".min." not in one.name}
    declared = Counter(found for one in ours for found in DECLARED.findall(one.read_text(encoding="utf-8")))
    assert [found for found, times in declared.items() if times > 1] == []


@pytest.fixture(scope="module")
def files() -> TestClient:
    return TestClient(Starlette(routes=[Mount("/", PageFiles(STATIC))]))


def test_joined_scripts_are_one_answer_that_a_browser_keeps(files: TestClient) -> None:
    answer = files.get("/page.js+seat.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.text == (STATIC / "page.js").read_text("utf-8") + "\n" + (STATIC / "seat.js").read_text("utf-8")
    again = files.get("/page.js+seat.js", headers={"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.text) == (304, "")


@pytest.mark.parametrize("path", ["page.js", "page.js+seat.js", "page.css", "icon.svg"])
def test_a_browser_asks_each_time_whether_a_file_is_still_the_same(files: TestClient, path: str) -> None:
    answer = files.get(f"/{path}")
    assert answer.headers["cache-control"] == "no-cache", "else it guesses, and keeps scripts of before an upgrade"
    again = files.get(f"/{path}", headers={"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.headers["cache-control"]) == (304, "no-cache")


@pytest.mark.parametrize(
    "path",
    ["page.js+page.js", "page.js+none.js", "page.js+", "+", "page.js+../pages.py", "page.js+page.css", "page.js+fonts"],
)
def test_what_is_no_list_of_scripts_is_not_found(files: TestClient, path: str) -> None:
    assert files.get(f"/{path}").status_code == 404
