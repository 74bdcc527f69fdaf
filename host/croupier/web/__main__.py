"""The process of a page that is served apart: `python -m croupier.web DOOR PIPE`, begun by `apart` and nobody else."""

import sys

from croupier.web.worker_process import serve

serve(*map(int, sys.argv[1:]))
