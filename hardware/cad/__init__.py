"""The shapes of the machine, computed from `hardware.parameters` by CadQuery. ``make hardware`` exports and checks
them."""
