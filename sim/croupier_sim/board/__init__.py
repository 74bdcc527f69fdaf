"""The simulated Pico: the real firmware files, run by a real MicroPython, on simulated mechanics.

`SimPico` runs the firmware and its world in step with a clock of the caller. `SimLine` and `BoardMachine` let it deal
at the simulated table. `SimPort` is its serial port as a pseudo-terminal, with the faults of a real line. `vm` is the
code that runs inside MicroPython: stand-ins for `machine` and `rp2`, and the physics of motors, cards, contacts and
light barriers.
"""

from croupier_sim.board.machine import BoardMachine, SimLine
from croupier_sim.board.pico import Event, Settings, SimPico
from croupier_sim.board.port import LineFaults, SimPort

__all__ = ["BoardMachine", "Event", "LineFaults", "Settings", "SimLine", "SimPico", "SimPort"]
