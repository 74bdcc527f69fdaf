"""`croupier.toml`: what a table says about itself.

    config = load()                                          # all of it, or BadConfigFile with all that is wrong
    change(CONFIG, {("camera", "source"): "usb:1"})          # comments stay, the file is never half written

`sections` has a class for each section, `model.py` the whole. docs/configuration.md lists every option.
"""

from croupier.app import CONFIG
from croupier.app.config.mistakes import BadConfigFile, Mistake
from croupier.app.config.model import Config
from croupier.app.config.reading import house, load, read, ruleset_called
from croupier.app.config.writing import change, save

__all__ = [
    "CONFIG",
    "BadConfigFile",
    "Config",
    "Mistake",
    "change",
    "house",
    "load",
    "read",
    "ruleset_called",
    "save",
]
