"""The shapes of the machine, made from `hardware.parameters` by CadQuery: ``make hardware`` exports and checks them."""
