"""Server-sent events as a browser takes them in."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx

_PARTIAL = re.compile(r'<hx-partial hx-target="#([\w-]+)" hx-swap="(\w+)">(.*?)</hx-partial>', re.DOTALL)


def events(answer: httpx.Response) -> Iterator[tuple[int, str]]:
    """The events of a stream without a name: id and data."""
    n, data, is_named = -1, list[str](), False
    for line in answer.iter_lines():
        if line.startswith("id:"):
            n = int(line[3:])
        elif line.startswith("event:"):
            is_named = True
        elif line.startswith("data:"):
            data.append(line[6:])
        elif not line:
            if data and not is_named:
                yield n, "\n".join(data)
            data, is_named = [], False


def taken_in(before: str, event: str) -> str:
    """The page after an event: the whole, or the regions that changed or are new put in place, the old ones gone."""
    partials = _PARTIAL.findall(event)
    if not partials:
        return event
    for name, swap, region in partials:
        mark, end = f"<!--[{name}]-->", "<!--/-->"
        start = before.index(mark)
        old = before[start : before.index(end, start) + len(end)]
        now = {"outerMorph": f"{mark}{region}{end}", "beforebegin": f"{region}{old}", "delete": ""}[swap]
        before = before.replace(old, now, 1)
    return before
