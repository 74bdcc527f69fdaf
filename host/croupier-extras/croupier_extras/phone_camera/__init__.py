"""The browser of a phone as the table's camera: a kind of camera, ``source = "phone"``.

A phone gives its camera to a page only over HTTPS. The table serves that one page from a process of its own
(`listener`), with a certificate of its own; `feed` is what page and table agree on. The table takes the pictures in
with `camera`. This module says how the kind is named, and imports no library of HTTP.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from croupier.config.sections import Camera, out_of
from croupier.i18n import _, marked
from croupier.optional_dependencies import requires_extra
from croupier.plugins import CameraKind
from croupier_extras.errors import PHONE

if TYPE_CHECKING:
    from croupier_extras.phone_camera.camera import PhoneCamera


def _check_port(source: str) -> None:
    _kind, colon, port = source.partition(":")
    if colon and not (port.isdecimal() and len(port) <= 5 and 1 <= int(port) <= 65535):
        raise out_of(source, _("a number, {least} to {most}", least=1, most=65535))


def _open(section: Camera, clock: Callable[[], float]) -> PhoneCamera:
    """Serve the page of the phone that is the camera.

    Raises:
        NoCamera: its process cannot be started. CannotServe: the port is taken, or a library is not installed.
        CannotWrite: the file of the certificate cannot be written.
    """
    with requires_extra(PHONE):
        from croupier_extras.phone_camera.camera import PhoneCamera

    port = section.source.partition(":")[2]
    return PhoneCamera(
        section.certificate, port=int(port) if port else None, size=section.pixels, fps=section.fps, clock=clock
    )


KIND: Final = CameraKind(
    open=_open,
    check=_check_port,
    title=marked("a phone’s browser"),
    silence=(
        marked("The phone that is the camera sends no picture."),
        marked("Stop the table, wake the phone, and open the page of the camera on it; then check again."),
    ),
    keeps_rate=False,  # it sends as many as its WLAN takes
)
