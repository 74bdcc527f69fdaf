"""`python -m croupier`: the program, where it is not on the path."""

from croupier.app.cli import main

main()
