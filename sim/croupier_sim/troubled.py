"""The simulated camera with troubles that last as long as they are wanted."""

from __future__ import annotations

from typing import Final

from croupier.devices.protocols import Image
from croupier_sim.camera import Drawn, SimCamera
from croupier_sim.session import FAULTS
from croupier_sim.video import EFFECTS

LASTS_S: Final = 4.0
"""Longer than it takes to be sure of any trouble (`cardsight.track.health`)."""


class TroubledCamera:
    """Takes frames as ``camera`` does, which may be in trouble. Implements `Camera`."""

    faults = tuple(f"camera-{kind}" for kind in FAULTS)
    """What may be provoked."""

    def __init__(self, camera: SimCamera) -> None:
        self._camera = camera
        self._kind, self._until = "", 0.0
        self._last: Image | None = None

    def provoke(self, fault: str) -> None:
        """Let one of ``faults`` begin."""
        self._kind, self._until = fault.removeprefix("camera-"), self._camera.now() + LASTS_S

    @property
    def is_troubled(self) -> bool:
        """Whether it is in trouble now."""
        return self._camera.now() < self._until

    def frame(self) -> Drawn:
        """The picture of the table now. Raises OSError while the camera is unplugged."""
        kind = self._kind if self.is_troubled else ""
        if kind == "unplugged":
            raise OSError("the simulated camera is unplugged")
        t, scene = self._camera.now(), self._camera.scene()
        picture = self._camera.developed(EFFECTS[kind](scene, 0.5, t) if kind in EFFECTS else scene)
        if kind == "frozen" and self._last is not None:
            picture = self._last
        self._last = picture
        return Drawn(t, picture)

    def now(self) -> float:
        """The simulated time."""
        return self._camera.now()
