"""The Pico's clock, the firmware's only source of time; the simulated board replaces it.

``ticks_us`` counts microseconds and wraps at 2^30 (17.9 minutes), ``ticks_ms`` milliseconds (12.4 days). Both
are small integers, so an interrupt handler may keep them; differences go through ``ticks_diff``.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    # The stubs keep ticks apart from other integers; the firmware keeps them in arrays of integers.
    def ticks_us() -> int: ...
    def ticks_ms() -> int: ...
    def ticks_add(ticks: int, change: int) -> int: ...
    def ticks_diff(end: int, begin: int) -> int: ...

else:
    from time import ticks_add, ticks_diff, ticks_ms, ticks_us

__all__ = ["ticks_add", "ticks_diff", "ticks_ms", "ticks_us"]
