"""The commands of the program, one file each. Heavy imports stay inside the functions, so that --help is quick."""
