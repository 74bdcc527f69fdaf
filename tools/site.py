"""Builds the documentation as a site (`make site`): the present pages, and the reference of the public packages.

The pages are laid out in ``out/site/pages`` as they lie in the repository, so that their links hold; the site is
``out/site/html/index.html``. A link to a file of the program becomes a link to a copy of that file, one to a folder
becomes text. A broken link, and a page that the navigation in mkdocs.yml lacks, are errors.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from inspect import getsource, ismodule
from typing import Final, get_origin

from tools.lock import ROOT

PAGES: Final = ROOT / "out/site/pages"
PACKAGES: Final = ("croupier_rules", "cardsight")
"""The packages with a public interface."""

_LINK: Final = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")


def pages() -> list[str]:
    """Return all pages: the pages of docs and hardware, and the pages beside README.md."""
    tracked = subprocess.run(("git", "ls-files", "*.md"), cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return [path for path in tracked.splitlines() if path.startswith(("docs/", "hardware/")) or "/" not in path]


def lay_out(page: str, text: str, of_site: frozenset[str]) -> str:
    """Return the text of a page with links that hold in the site, and copy the files that it links to."""

    def link(found: re.Match[str]) -> str:
        target = (ROOT / page).parent.joinpath(found[3]).resolve()
        path = str(target.relative_to(ROOT))
        if target.is_dir():
            return f"{found[2]} (`{path}`)" if found[2].strip("`") != path else found[2]
        if path not in of_site:
            copy = PAGES / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(target, copy)
        return found[0]

    return "".join(
        part if n % 2 else _LINK.sub(link, part)
        for n, part in enumerate(re.split(r"(^ *```.*?^ *```)", text, flags=re.MULTILINE | re.DOTALL))
    )


def reference(package: str) -> Iterator[str]:
    """Yield the lines of the reference page of a package: all names in its ``__all__``."""
    module = import_module(package)
    yield f"# `{package}`\n\n::: {package}\n    options:\n      members: false\n      show_root_heading: false\n"
    for name in module.__all__:
        thing = getattr(module, name)
        if ismodule(thing):
            where = thing.__name__
        elif get_origin(thing) is not None:  # an alias of a type: the line that defines it, and its docstring
            modules = [one for key, one in sorted(sys.modules.items()) if key.startswith(f"{package}.")]
            where = next(f"{one.__name__}.{name}" for one in modules if re.search(rf"(?m)^{name} = ", getsource(one)))
        elif hasattr(thing, "__qualname__") and hasattr(thing, "__module__"):
            where = f"{thing.__module__}.{thing.__qualname__}"
        else:
            continue  # a text, such as the version
        yield f"## `{name}`\n\n::: {where}\n    options:\n      show_root_heading: false\n"


def main(*options: str) -> int:
    """Build the site; returns the exit status of mkdocs."""
    shutil.rmtree(PAGES.parent, ignore_errors=True)
    of_site = frozenset(pages())
    for page in sorted(of_site):
        target = PAGES / page
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(lay_out(page, (ROOT / page).read_text(encoding="utf-8"), of_site), encoding="utf-8")
    (PAGES / "api").mkdir()
    for package in PACKAGES:
        (PAGES / f"api/{package}.md").write_text("\n".join(reference(package)), encoding="utf-8")
    return subprocess.run((sys.executable, "-m", "mkdocs", "build", *options), cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
