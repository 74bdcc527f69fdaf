"""The files of the page. `page.js+seat.js` is one answer with both scripts: on a slow network each answer waits.

A browser asks each time whether a file is still the same. Otherwise it would guess by the date of a file for how long
it is, and after an upgrade join the old scripts to the new pages.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import Response
from fastapi.staticfiles import StaticFiles
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.staticfiles import NotModifiedResponse

if TYPE_CHECKING:
    from starlette.types import Scope


class PageFiles(StaticFiles):
    """The files of a folder, and its scripts joined in the order of their names in the address."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory=directory)
        self._scripts = {file.name: file.read_bytes() for file in directory.glob("*.js")}

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, or the scripts, of a path."""
        answer = await self._file(path, scope)
        answer.headers["cache-control"] = "no-cache"
        return answer

    async def _file(self, path: str, scope: Scope) -> Response:
        names = path.split("+")
        if len(names) == 1:
            return await super().get_response(path, scope)
        # Each once: an address that repeats a name could ask for any number of bytes.
        if len(set(names)) < len(names) or not self._scripts.keys() >= set(names):
            raise HTTPException(404)
        content = b"\n".join(self._scripts[name] for name in names)
        tag = sha256(content).hexdigest()[:32]
        answer = Response(content, media_type="text/javascript", headers={"etag": f'"{tag}"'})
        if self.is_not_modified(answer.headers, Headers(scope=scope)):
            return NotModifiedResponse(answer.headers)
        return answer
