"""How the commands of this folder read what they are asked, and answer."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable


def parser(module: str, description: str, *examples: str) -> ArgumentParser:
    """A parser whose help ends with examples, each in a line of its own."""
    command = f"python -m {module}"
    return ArgumentParser(
        prog=command,
        description=description,
        epilog="\n".join(["examples:", *(f"  {command} {example}".rstrip() for example in examples)]),
        formatter_class=RawDescriptionHelpFormatter,
    )


def run(command: Callable[[], object]) -> None:
    """Run it as the shell called it; whoever reads may have seen enough (``| head``)."""
    try:
        command()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
