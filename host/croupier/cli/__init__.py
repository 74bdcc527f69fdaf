"""The commands of the program, one file each. Heavy imports stay inside the functions, so that --help is quick."""


def examples(*lines: str) -> str:
    """The end of a help text: command lines that do something."""
    # \b keeps the lines of the paragraph apart.
    return "\n".join(["\b", "Examples:", *(f"  {line}" for line in lines)])
