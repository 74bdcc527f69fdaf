"""The end of a process, with threads that may still be inside native code."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from typing import NoReturn


def end_process(status: int) -> NoReturn:
    """End this process with ``status``, whatever its daemon threads are doing.

    The interpreter ends such a thread by unwinding its stack, as soon as the thread returns from native code. From C++
    code, such as that of OpenCV and onnxruntime, this is `std::terminate`, and the process ends with SIGABRT; so it
    does where the thread was about to print (Python before 3.14). So with daemon threads the interpreter is not ended,
    and functions of `atexit` are not called.
    """
    if any(thread.daemon for thread in threading.enumerate()):
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, OSError, ValueError):  # there is none, nobody reads it, it is closed
                stream.flush()
        os._exit(status)
    sys.exit(status)
