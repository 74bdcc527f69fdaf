"""The 12 V of the motors: emergency stop, motor switch, the capacitor behind them, and the divider at the Pico's pin.

Without a supply the capacitor drains, as quickly as the motors draw from it. Interrupt handlers read the voltage, so it
is a whole number, and `reading` allocates nothing.
"""

FULL_MV = 12_000
DRIVER_MV = 4_750
"""Voltage below which the drivers let their motors go (data sheet of the TMC2209: 4.75 V)."""
BULK_UF = 1_100
REST_MA, HOLDING_MA, FEEDING_MA = 8, 350, 500
"""Current from 12 V (mA): of both drivers, of the turntable's motor at rest or turning, of the feed motor."""
CHARGE_MV = 6_000
"""What the supply brings into the empty capacitor within `TICK_US`."""
TICK_US = 1_000
TAP, WHOLE = 10, 57
"""The divider: 10 k of 57 k."""
_FULL_SCALE_MV = 3_300


class Supply:
    """The supply. ``draws()``: the present load (mA); ``on_change(is_alive)``: the drivers begin or cease to work."""

    def __init__(self, world, gpio, draws, on_change):
        self._world, self.gpio = world, gpio
        self._draws, self._on_change = draws, on_change
        self._is_open = False
        self._is_ticking = False
        self.mv = FULL_MV

    @property
    def is_alive(self):
        """True while the drivers work."""
        return self.mv >= DRIVER_MV

    def reading(self):
        """Return what the Pico's converter reads, of 65,535."""
        return min(65_535, self.mv * TAP * 65_535 // (WHOLE * _FULL_SCALE_MV))

    def disconnect(self, for_us=None):
        """Open the emergency stop or the motor switch, or lose the supply; for so long, or until `restore`."""
        self._is_open = True
        self._wake()
        if for_us is not None:
            self._world.at(self._world.now + for_us, self.restore)

    def restore(self):
        """Close the switch again."""
        self._is_open = False
        self._wake()

    def _wake(self):
        if not self._is_ticking:
            self._is_ticking = True
            self._world.at(self._world.now + TICK_US, self._tick)

    def _tick(self):
        was_alive = self.is_alive
        if self._is_open:
            self.mv = max(0, self.mv - self._draws() * TICK_US // BULK_UF)
        else:
            self.mv = min(FULL_MV, self.mv + CHARGE_MV)
        if self.is_alive != was_alive:
            self._on_change(self.is_alive)
        self._is_ticking = self.mv > 0 if self._is_open else self.mv < FULL_MV
        if self._is_ticking:
            self._world.at(self._world.now + TICK_US, self._tick)
