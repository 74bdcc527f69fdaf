"""Where things are on a table, seen by a camera that stays where it is.

`plane` maps millimeters on the table to pixels, from a printed `sheet` or from cards, whose size is known; `white` is
the color that white has under the table's lamp; `table` is all that was found, in a file; `draw` shows it.
"""

from cardsight.calibrate.plane import Plane
from cardsight.calibrate.table import Calibration

__all__ = ["Calibration", "Plane"]
