"""The one simulated world of this process, made from the settings on the command line."""

import json
import sys

from mechanics import Mechanics
from world import World

settings = json.loads(sys.argv[3])
world = World(settings["start_us"])
mechanics = Mechanics(world, settings)
