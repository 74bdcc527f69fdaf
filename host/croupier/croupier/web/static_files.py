"""The files of the page. `page.js+seat.js` is one answer with both scripts: on a slow network each answer waits. Texts
are compressed once for all phones.

A browser asks each time whether a file is still the same. Otherwise it would guess by the date of a file for how long
it is, and after an upgrade join the old scripts to the new pages.
"""

from __future__ import annotations

import gzip
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

from fastapi import Response
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.staticfiles import NotModifiedResponse

if TYPE_CHECKING:
    from starlette.types import Scope


_LEAST_BYTES: Final = 1000
"""Less is hardly smaller when it is compressed."""

_TEXTS: Final = (".css", ".js", ".svg")

_packed: Final = lru_cache(maxsize=64)(gzip.compress)


class PageFiles(StaticFiles):
    """The files of a folder, and its scripts joined in the order of their names in the address."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory=directory)
        self._texts = {file.name: file.read_bytes() for file in directory.iterdir() if file.suffix in _TEXTS}

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, or the scripts, of a path."""
        names, headers = path.split("+"), Headers(scope=scope)
        if len(names) == 1:
            answer = await super().get_response(path, scope)
        else:
            answer = self._joined(names, headers)
        answer.headers["cache-control"] = "no-cache"
        answer.headers["vary"] = "accept-encoding"
        content = b"\n".join(self._texts.get(name, b"") for name in names)
        if answer.status_code != 200 or len(content) < _LEAST_BYTES or "gzip" not in headers.get("accept-encoding", ""):
            return answer
        others = {name: value for name, value in answer.headers.items() if name != "content-length"}
        return Response(_packed(content), headers=others | {"content-encoding": "gzip"})

    def _joined(self, names: list[str], headers: Headers) -> Response:
        # Each once: an address that repeats a name could ask for any number of bytes.
        if len(set(names)) < len(names) or not all(name in self._texts and name.endswith(".js") for name in names):
            raise HTTPException(404)
        content = b"\n".join(self._texts[name] for name in names)
        tag = sha256(content).hexdigest()[:32]
        answer = Response(content, media_type="text/javascript", headers={"etag": f'"{tag}"'})
        return NotModifiedResponse(answer.headers) if self.is_not_modified(answer.headers, headers) else answer
