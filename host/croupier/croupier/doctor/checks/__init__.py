"""All checks; `croupier.doctor.runner` lists them by their ids."""
