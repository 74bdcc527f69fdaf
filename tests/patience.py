"""How long a test waits for another thread or process. A busy machine is no defect: only what hangs takes so long.

With eight jobs on two cores a web worker takes more than a minute to begin.
"""

from typing import Final

PATIENCE_S: Final = 180.0
