"""Errors of the network, for people."""

from __future__ import annotations

import os


def reason(err: BaseException) -> str:
    """The operating system's words for an error of httpx, or its own."""
    cause: BaseException | None = err
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            if cause.errno and cause.strerror.startswith("Connect call failed"):  # asyncio's words for any reason
                return os.strerror(cause.errno)
            return cause.strerror
        several = cause.exceptions if isinstance(cause, BaseExceptionGroup) else ()  # an attempt for each address
        cause = several[0] if several else cause.__cause__ or cause.__context__
    return str(err) or type(err).__name__
