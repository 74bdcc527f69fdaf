"""A machine on which cameras on USB are plugged and unplugged: files as Linux has them below /sys and /dev."""

from __future__ import annotations

import os
import shutil
from pathlib import Path


class UsbMachine:
    """A root of a file system in ``folder``. ``has_links``: udev makes the links below /dev/v4l."""

    def __init__(self, folder: Path, *, has_links: bool = True) -> None:
        self.root, self._has_links = folder, has_links
        self._class = folder / "sys/class/video4linux"
        self._class.mkdir(parents=True)
        (folder / "dev").mkdir()

    def plug(
        self, name: str, place: str = "1-1", *, serial: str = "", model: str = "046d:0825", film: Path | None = None,
        interface: int = 0, is_pipe: bool = False,
    ) -> int:  # fmt: skip
        """Plug a camera in at ``place``: a node for its pictures and one for their metadata. Return the number of the
        first. ``film``: the file that stands for the camera's pictures; ``is_pipe``: a pipe stands for them."""
        device = self.root / "sys/devices/pci0000:00/0000:00:14.0/usb1" / place
        device.mkdir(parents=True, exist_ok=True)
        for file, text in zip(("idVendor", "idProduct", "serial"), (*model.split(":"), serial), strict=True):
            if text:
                (device / file).write_text(f"{text}\n")
        first = None
        for index in range(2):
            number = next(n for n in range(100) if not (self._class / f"video{n}").exists())
            node = device / f"{place}:1.{interface}" / "video4linux" / f"video{number}"
            node.mkdir(parents=True)
            (node / "name").write_text(f"{name}\n")
            (node / "index").write_text(f"{index}\n")
            (self._class / node.name).symlink_to(node)
            path = self.root / "dev" / node.name
            if film is not None and index == 0:
                path.symlink_to(film)
            elif is_pipe and index == 0:
                os.mkfifo(path)
            else:
                path.touch()
            if self._has_links:
                words = "_".join(filter(None, (name.replace(" ", "_").replace(":", ""), serial)))
                self._link("by-id", f"usb-{words}-video-index{index}", node.name)
                self._link("by-path", f"pci-0000:00:14.0-usb-0:{place[2:]}:1.{interface}-video-index{index}", node.name)
            first = number if first is None else first
        assert first is not None
        return first

    def unplug(self, place: str = "1-1") -> None:
        """Take out what is plugged in at ``place``."""
        device = self.root / "sys/devices/pci0000:00/0000:00:14.0/usb1" / place
        names = {node.name for node in device.glob("*/video4linux/*")}
        for name in names:
            (self._class / name).unlink()
            (self.root / "dev" / name).unlink()
        for link in (self.root / "dev").glob("v4l/*/*"):
            if link.readlink().name in names:
                link.unlink()
        shutil.rmtree(device)

    def processor_node(self, number: int, name: str) -> None:
        """A node of a Pi's own processor, which is no camera."""
        node = self.root / "sys/devices/platform/soc/codec/video4linux" / f"video{number}"
        node.mkdir(parents=True)
        (node / "name").write_text(f"{name}\n")
        (node / "index").write_text("0\n")
        (self._class / node.name).symlink_to(node)

    def _link(self, folder: str, name: str, node: str) -> None:
        link = self.root / "dev/v4l" / folder / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.unlink(missing_ok=True)  # the link of two that are alike names the last
        link.symlink_to(f"../../{node}")
