"""How the commands of this folder read what they are asked."""

from __future__ import annotations

from argparse import ArgumentParser, RawDescriptionHelpFormatter


def parser(module: str, description: str, *examples: str) -> ArgumentParser:
    """A parser whose help ends with examples, each in a line of its own."""
    command = f"python -m {module}"
    return ArgumentParser(
        prog=command,
        description=description,
        epilog="\n".join(["examples:", *(f"  {command} {example}".rstrip() for example in examples)]),
        formatter_class=RawDescriptionHelpFormatter,
    )
