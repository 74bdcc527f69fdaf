"""`croupier.toml`: the description of a table.

    config = load()                                          # all of it, or BadConfigFile with all that is wrong
    change(CONFIG, {("camera", "source"): "usb:1"})          # comments stay, the file is never half written

`sections` has a class for each section, `model.py` the whole. docs/configuration.md lists every option.
"""

from croupier.config.file import change, house, load, read, ruleset_by_name, save
from croupier.config.model import Config
from croupier.config.validation import BadConfigFile, Mistake
from croupier.files import CONFIG

__all__ = ["CONFIG", "BadConfigFile", "Config", "Mistake", "change", "house", "load", "read", "ruleset_by_name", "save"]
