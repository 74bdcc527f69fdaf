"""`python -m croupier`: the program, where it is not on the path."""

from croupier.cli.main import main

main()
