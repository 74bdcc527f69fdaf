"""A table that runs: devices and card reader on one side, the referee on the other (docs/overview.md)."""
