"""Command lines of the programs in this folder: parser and output."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable


def parser(module: str, description: str, *examples: str) -> ArgumentParser:
    """Return a parser whose help ends with examples, one a line."""
    command = f"python -m {module}"
    return ArgumentParser(
        prog=command,
        description=description,
        epilog="\n".join(["examples:", *(f"  {command} {example}".rstrip() for example in examples)]),
        formatter_class=RawDescriptionHelpFormatter,
    )


def run(command: Callable[[], object]) -> None:
    """Run a command as the shell called it; the reader may close the pipe early (``| head``)."""
    try:
        command()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
