"""The shoe: carries out one job at a time and reports what was really done.

A job is "n cards to a place". It ends exactly once, with the number of cards that passed the exit and the
reason. A repeated request is answered with the same report and feeds nothing. After a fault nothing moves until
a person has cleared it.
"""

from micropython import const
from pico import clock
from pico.memory import ENDED, FEEDING, TURNING

HOPPER_MS = const(100)
"""Time for which the hopper's sensor must say the same: cards lift a little while one is fed."""

BLOCKED_MS = const(1_000)
"""Time for which something blocks the exit without a feed before it is a fault."""

REMEMBERED = const(8)
"""Number of finished jobs that can be reported again."""


class Shoe:
    """The shoe. ``turntable``, ``feeder``, ``way_out`` (the card exit) and ``hopper`` do the work; ``memory``
    survives a reset. ``is_powered()``: True while the motors have their supply.

    ``report(name, *values)`` sends a message of `tablewire.messages`.
    """

    def __init__(self, turntable, feeder, way_out, hopper, memory, report, is_powered):
        self._turntable, self._feeder, self._exit, self._hopper = turntable, feeder, way_out, hopper
        self._memory, self._report, self._is_powered = memory, report, is_powered
        self._ended = {}
        self._n = 0
        self._step = "idle"
        self._is_filled = hopper.is_on()
        self._changed_us = self._blocked_ms = None
        self.fault = ""
        self.is_armed = False
        feeder.listen(self._passed, memory.count)
        self._recall()

    def _recall(self):
        """Find out after a reset how the last job ended. While the table turned, no card can have passed."""
        memory = self._memory
        if memory.state == TURNING:
            memory.end("stopped")
        elif memory.state == FEEDING:
            memory.end("in-doubt")
        if memory.state == ENDED:
            self._ended[memory.job] = (memory.asked, memory.fed, memory.why, clock.ticks_us())
            if memory.why == "in-doubt":
                self.fault = "in-doubt"

    @property
    def is_idle(self):
        """True if no motor runs or is about to run."""
        return self._step == "idle"

    def state(self):
        """The first values of the message `state`."""
        memory = self._memory
        step = "fault" if self.fault else self._step
        hopper = "filled" if self._is_filled else "empty"
        return step, int(self.is_armed), hopper, memory.job, memory.asked, memory.fed

    def deal(self, job, place, n):
        """Feed ``n`` cards (1 to 255) to ``place`` (steps of the turntable, or None) as ``job``; job numbers grow."""
        memory = self._memory
        if job in self._ended:
            self._report("done", job, *self._ended[job])
        elif job == memory.job:
            pass  # it is being done
        elif job < memory.job:
            self._report("done", job, n, 0, "in-doubt", clock.ticks_us())
        elif self.fault:
            self._report("refused", job, "fault")
        elif not self.is_armed:
            self._report("refused", job, "disarmed")
        elif not self.is_idle:
            self._report("refused", job, "busy")
        elif place is None:
            self._report("refused", job, "no-seat")
        else:
            self._begin(job, place, n)

    def find_home(self):
        """Look for the magnet if the shoe is idle."""
        if self.is_armed and not self.fault and self.is_idle:
            self._step = "homing"
            self._turntable.find_home()

    def turn(self, steps):
        """Turn to this place without a card if the shoe is idle."""
        if self.is_armed and not self.fault and self.is_idle:
            self._step = "homing"
            self._turntable.turn_to(steps)

    def arm(self):
        """Allow the motors to run: a person said go."""
        self.is_armed = True

    def stop(self, why):
        """Stop both motors at once, "stopped", for "silence" or "no-power"; `arm` allows them to run again."""
        self.is_armed = False
        self._turntable.stop()
        if self._step == "feeding":
            self._feeder.stop(why)
        elif self._step == "turning":
            self._end(why)
        else:
            self._step = "idle"

    def lose_power(self):
        """The motors have no supply: the table may be turned by hand, and what moved has stopped somewhere. Returns
        True if that is a fault: the motors were allowed to run."""
        was_armed = self.is_armed
        if was_armed:
            self.stop("no-power")
        else:
            self._turntable.stop()
        if was_armed and not self.fault and self.is_idle:  # the end of a job raises it itself
            self._raise("no-power", 0)
        return was_armed

    def clear(self):
        """Clear the fault: a person removed its cause. Hands were near the table, so it finds its magnet first."""
        if self._exit.is_on():
            self._raise("exit-blocked", 0)
        elif not self._is_powered():
            self._raise("no-power", 0)
        else:
            self.fault = ""
            self._turntable.doubt()
            self._report("cleared")

    def step(self):
        """Go on with the present job."""
        self._watch_hopper()
        trouble = self._turntable.step()
        if trouble == "pushed":  # at rest, by a hand
            if self._step == "feeding":
                self._feeder.stop("turntable")
        elif trouble:
            if self._step == "turning":
                self._end("turntable")
            self._step = "idle"
            self._raise(trouble, 0)
        ended = self._feeder.step()
        if self._step == "feeding":
            if ended is not None:
                self._end(ended)
        elif self._step != "idle":
            if not self._turntable.is_turning:
                self._arrive()
        else:
            self._watch_exit()

    def _begin(self, job, place, n):
        self._memory.begin(job, n)
        self._n = n
        self._step = "turning"
        # Whether cards are left shows only when none comes: the last one may lie before the hopper's sensor already.
        if self._exit.is_on():
            self._end("jam")
        else:
            self._turntable.turn_to(place)

    def _arrive(self):
        if self._step == "turning":
            self._step = "feeding"
            self._memory.feeds()
            self._feeder.feed(self._n)
        else:
            self._step = "idle"

    def _passed(self, pulse):
        fed = min(self._feeder.fed, 255)
        self._memory.count(fed)
        self._report("card", self._memory.job, fed, pulse.ticks, pulse.pulse_us, pulse.gap_us)

    def _end(self, why):
        memory, now = self._memory, clock.ticks_us()
        was_fed, self._step = self._step == "feeding", "idle"
        memory.end(why)
        if len(self._ended) == REMEMBERED:
            del self._ended[min(self._ended)]
        self._ended[memory.job] = (memory.asked, memory.fed, why, now)
        self._report("done", memory.job, memory.asked, memory.fed, why, now)
        if why in ("jam", "double-feed", "longest-run", "silence", "in-doubt", "no-power"):
            self._raise(why, memory.job)
        elif why == "turntable" and was_fed:
            self._raise("pushed", memory.job)
        elif memory.fed > memory.asked:
            self._raise("surplus", memory.fed - memory.asked)
        elif self._exit.is_on():
            self._raise("exit-blocked", memory.job)

    def _raise(self, kind, detail):
        self.fault = kind
        self._report("fault", kind, detail, clock.ticks_us())

    def _watch_hopper(self):
        is_filled = self._hopper.is_on()
        now = clock.ticks_us()
        if is_filled == self._is_filled:
            self._changed_us = None
        elif self._changed_us is None:
            self._changed_us = now
        elif clock.ticks_diff(now, self._changed_us) >= HOPPER_MS * 1000:
            self._is_filled = is_filled
            self._report("hopper", "filled" if is_filled else "empty", self._changed_us)
            self._changed_us = None

    def _watch_exit(self):
        now = clock.ticks_ms()
        if self.fault or not self._exit.is_on():
            self._blocked_ms = None
        elif self._blocked_ms is None:
            self._blocked_ms = now
        elif clock.ticks_diff(now, self._blocked_ms) >= BLOCKED_MS:
            self._blocked_ms = None
            self._raise("exit-blocked", 0)
