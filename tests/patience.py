"""How long a test waits for another thread or process. A busy machine is no defect: only what hangs takes so long."""

from typing import Final

PATIENCE_S: Final = 60.0
