"""What somebody needs to build the machine: parts with prices, wiring, power, and the shapes to print.

Nothing of it has been built on a bench yet. Every figure is a named parameter with its unit and where it comes from
(`hardware.parameters`), so that whoever builds one can put the measured figure in its place.
"""
