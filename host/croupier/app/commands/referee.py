"""`croupier referee`: a table log in, rulings out."""

from __future__ import annotations

from typing import Annotated

import typer


def referee(
    file: Annotated[str, typer.Argument(help="Table log; - for standard input.")] = "-",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line for each observation.")] = False,
) -> None:
    """Read a table log and explain each ruling, with the sentence of the document it rests on."""
    raise NotImplementedError
