"""Everything needed to build the machine: parts with prices, wiring, power, and the shapes to print.

No machine has been built yet. Every figure is a named parameter with its unit and its source (`hardware.parameters`),
so that measured figures can replace it.
"""
