"""Wires everything together; the only part that knows everything."""

from pathlib import Path
from typing import Final

CONFIG: Final = Path("croupier.toml")
"""What describes the table, where the program is started."""
