"""Prints what happens on the discard pile of a video. Needs cardsight only.

python examples/follow_pile.py pile.mp4 220, where a card is 220 px long.
"""

import sys

from cardsight import NoMoreFrames, PileTracker, Reader, VideoFile

video, tracker = VideoFile(sys.argv[1]), None
try:
    while frame := video.frame():
        height, width = frame.image.shape[:2]
        tracker = tracker or PileTracker((0, 0, width, height), float(sys.argv[2]), Reader())
        for event in tracker.push(frame.t, frame.image, frame.u):
            print(event)
except NoMoreFrames:
    video.close()
