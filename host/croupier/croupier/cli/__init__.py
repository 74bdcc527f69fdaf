"""The commands of the program, by topic. Heavy imports stay inside the functions, so that --help is quick."""
