"""Calibration of a table below a fixed camera.

`plane` maps millimeters on the table to pixels, by a printed `sheet` or by cards of known size. `table` holds the whole
calibration and its file.
"""

from cardsight.calibrate.plane import Plane
from cardsight.calibrate.table import Calibration

__all__ = ["Calibration", "Plane"]
