"""The shoe: carries out one job at a time and says what was really done.

A job is "n cards to a place". Whatever happens, it ends once, with the cards that passed the exit and why it ended;
asked for again, it tells that again and feeds nothing. After trouble nothing moves until a person has cleared it.
"""

from micropython import const
from pico import clock
from pico.memory import ENDED, FEEDING, TURNING

HOPPER_MS = const(100)
"""The hopper is empty, or filled, once its sensor has said so for this long: cards lift a little while one is fed."""

BLOCKED_MS = const(1_000)
"""When something stands in the exit for so long though nothing is fed, somebody put it there."""

REMEMBERED = const(8)
"""So many of the last jobs can be told again."""


class Shoe:
    """``turntable``, ``feeder``, ``way_out`` (the card exit) and ``hopper`` do the work; ``memory`` outlives a reset.

    ``tell(name, *values)`` sends a message of `tablewire.messages`.
    """

    def __init__(self, turntable, feeder, way_out, hopper, memory, tell):
        self._turntable, self._feeder, self._exit, self._hopper = turntable, feeder, way_out, hopper
        self._memory, self._tell = memory, tell
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
        """After a reset: what became of the last job? While the table turned, nothing can have passed."""
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
        """Whether no motor runs and none is about to."""
        return self._step == "idle"

    def state(self):
        """The first values of the message `state`."""
        memory = self._memory
        step = "fault" if self.fault else self._step
        hopper = "filled" if self._is_filled else "empty"
        return step, int(self.is_armed), hopper, memory.job, memory.asked, memory.fed

    def deal(self, job, place, n):
        """Feed ``n`` cards (1 to 255) to ``place`` (steps of the turntable, or None) as ``job``; its number grows."""
        memory = self._memory
        if job in self._ended:
            self._tell("done", job, *self._ended[job])
        elif job == memory.job:
            pass  # it is being done
        elif job < memory.job:
            self._tell("done", job, n, 0, "in-doubt", clock.ticks_us())
        elif self.fault:
            self._tell("refused", job, "fault")
        elif not self.is_armed:
            self._tell("refused", job, "disarmed")
        elif not self.is_idle:
            self._tell("refused", job, "busy")
        elif place is None:
            self._tell("refused", job, "no-seat")
        else:
            self._begin(job, place, n)

    def find_home(self):
        """Look for the magnet, where nothing else is to be done."""
        if self.is_armed and not self.fault and self.is_idle:
            self._step = "homing"
            self._turntable.find_home()

    def arm(self):
        """A person said go: the motors may run."""
        self.is_armed = True

    def stop(self, why):
        """Both motors off at once, "stopped" or for "silence"; they may run again after `arm`."""
        self.is_armed = False
        self._turntable.stop()
        if self._step == "feeding":
            self._feeder.stop(why)
        elif self._step == "turning":
            self._end(why)
        else:
            self._step = "idle"

    def clear(self):
        """A person took the trouble out of the way."""
        if self._exit.is_on():
            self._raise("exit-blocked", 0)
        else:
            self.fault = ""
            self._tell("cleared")

    def step(self):
        """Go on with what is to be done."""
        self._watch_hopper()
        trouble = self._turntable.step()
        if trouble:
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
        self._tell("card", self._memory.job, fed, pulse.ticks, pulse.pulse_us, pulse.gap_us)

    def _end(self, why):
        memory, now = self._memory, clock.ticks_us()
        self._step = "idle"
        memory.end(why)
        if len(self._ended) == REMEMBERED:
            del self._ended[min(self._ended)]
        self._ended[memory.job] = (memory.asked, memory.fed, why, now)
        self._tell("done", memory.job, memory.asked, memory.fed, why, now)
        if why in ("jam", "double-feed", "longest-run", "silence"):
            self._raise(why, memory.job)
        elif memory.fed > memory.asked:
            self._raise("surplus", memory.fed - memory.asked)
        elif self._exit.is_on():
            self._raise("exit-blocked", memory.job)

    def _raise(self, kind, detail):
        self.fault = kind
        self._tell("fault", kind, detail, clock.ticks_us())

    def _watch_hopper(self):
        is_filled = self._hopper.is_on()
        now = clock.ticks_us()
        if is_filled == self._is_filled:
            self._changed_us = None
        elif self._changed_us is None:
            self._changed_us = now
        elif clock.ticks_diff(now, self._changed_us) >= HOPPER_MS * 1000:
            self._is_filled = is_filled
            self._tell("hopper", "filled" if is_filled else "empty", self._changed_us)
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
