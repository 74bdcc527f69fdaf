"""The Pico's program: `croupier firmware` installs and checks it, and so does a check of `croupier doctor`."""
