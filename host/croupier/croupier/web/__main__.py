"""The page's process as a unit of systemd starts it: `python -m croupier.web`."""

from croupier.web.worker_process import run_unit

if __name__ == "__main__":
    run_unit()
