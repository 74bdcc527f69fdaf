"""Makes the video that stands in for a wake lock on players' phones (static/awake.js), and prints it as base64.

    python -m tools.silent_video FFMPEG

``FFMPEG``: the program, with libx264. A frame a second is enough; the track of sound is there because Safari and Chrome
keep a screen on for a video with sound, and is silent.
"""

from __future__ import annotations

import subprocess
import sys
from base64 import b64encode
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

_OPTIONS: Final = (
    "-v error -f lavfi -i color=black:s=16x16:r=1:d=4 -f lavfi -i anullsrc=r=8000:cl=mono -t 4 -map_metadata -1 "
    "-fflags +bitexact -flags:v +bitexact -flags:a +bitexact -c:v libx264 -profile:v baseline -pix_fmt yuv420p "
    "-tune stillimage -bsf:v filter_units=remove_types=6 -c:a aac -b:a 8k -movflags +faststart"
)

if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        video = Path(folder) / "silent.mp4"
        subprocess.run([sys.argv[1], *_OPTIONS.split(), str(video)], check=True)
        print(b64encode(video.read_bytes()).decode())
