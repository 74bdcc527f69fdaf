"""A Pico that is not there: the real firmware files, run by a real MicroPython, on simulated mechanics. A SIMULATION.

`SimPico` runs the firmware and its world in step with a clock of the caller's; `SimLine` and `BoardMachine` let it
deal at the simulated table; `SimPort` puts a pseudo-terminal before it, with all that can befall a line. `vm` holds
what runs inside MicroPython: stand-ins for `machine` and `rp2`, and the physics of motors, cards, contacts and light
barriers.
"""

from croupier_sim.board.machine import BoardMachine, SimLine
from croupier_sim.board.pico import Event, Settings, SimPico
from croupier_sim.board.port import LineFaults, SimPort

__all__ = ["BoardMachine", "Event", "LineFaults", "Settings", "SimLine", "SimPico", "SimPort"]
