"""A camera on USB that can be unplugged: files as Linux has them below /sys and /dev, of which the device file of the
pictures is a pipe, with a film that does not end (Y4M)."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress

import cv2

from cardsight.geometry import Image
from tests.namespaces import Machine
from tests.vision.usb_machine import UsbMachine

_SHOW = """
mount -t tmpfs tmpfs /mnt && mkdir -p /mnt/dev "$0/sys/class/net" "$0/sys/devices/virtual" &&
mount --rbind /dev /mnt/dev && mount --bind /sys/class/net "$0/sys/class/net" &&
mount --bind /sys/devices/virtual "$0/sys/devices/virtual" && mount --rbind "$0/sys" /sys || exit 1
for file in /dev/*; do ln -s "/mnt$file" "$0/dev/"; done
mount --bind "$0/dev" /dev
"""
"""The cameras beside what is in /dev, and beside the networks in /sys. The tests' folder may lie below /dev itself."""


def show_cameras(usb: UsbMachine, machine: Machine) -> None:
    """Make the cameras of ``usb`` those of a machine."""
    machine.run("sh", "-c", _SHOW, str(usb.root))


class PluggedCamera:
    """A camera with a name and a serial number. It films the table while it is plugged in: a `Film`."""

    def __init__(self, usb: UsbMachine, name: str = "HD Webcam", serial: str = "W7") -> None:
        self._usb, self._name, self._serial = usb, name, serial
        self._path = ""
        self._opened, self._file = "", -1

    def plug(self, place: str) -> int:
        """Plug it in; the number that it gets."""
        number = self._usb.plug(self._name, place, serial=self._serial, is_pipe=True)
        self._path = str(self._usb.root / f"dev/video{number}")
        return number

    def unplug(self, place: str) -> None:
        """Unplug it: whoever reads its pictures gets no more."""
        self._path = ""
        self._usb.unplug(place)

    def show(self, picture: Image) -> None:
        """As `Film`: for whoever has the device file open. A reader that has gone makes way for the next."""
        path = self._path
        if self._file >= 0 and path != self._opened:
            self._close()
        with suppress(OSError):  # nobody reads, or it is unplugged just now
            if self._file < 0 and path:
                self._file, self._opened = os.open(path, os.O_WRONLY | os.O_NONBLOCK), path
                os.set_blocking(self._file, True)
                fcntl.fcntl(self._file, fcntl.F_SETPIPE_SZ, 1 << 20)
                self._write(f"YUV4MPEG2 W{picture.shape[1]} H{picture.shape[0]} F30:1 Ip A1:1 C420jpeg\n".encode())
            if self._file >= 0:
                self._write(b"FRAME\n" + cv2.cvtColor(picture, cv2.COLOR_BGR2YUV_I420).tobytes())

    def close(self) -> None:
        """End the film."""
        self._path = ""
        self._close()

    def _write(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self._file, data) :]
        except BrokenPipeError:
            self._close()
            raise

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
