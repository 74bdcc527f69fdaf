"""The cameras at this machine, as Linux lists them and where nothing does."""

from __future__ import annotations

import threading
from pathlib import Path

import cv2
import numpy as np
import pytest

from cardsight.errors import NoCamera
from cardsight.sources.found import FoundCamera, UsbFinder, device_of, identity, picture_size, usb_cameras, video_nodes
from tests.vision.usb_machine import UsbMachine

SIZES = {0: (1280, 720), 4: (1920, 1080)}


def sizes(device: int | str) -> tuple[int, int] | None:
    """The size of the camera at /dev/videoN."""
    return SIZES.get(int(str(device).rpartition("video")[2]))


def test_each_camera_is_listed_once_with_what_identifies_it_its_name_and_size(tmp_path: Path) -> None:
    machine = UsbMachine(tmp_path)
    machine.plug("HD Webcam: HD Web", serial="A1")
    machine.plug("Logi 4K", "2-1", model="046d:085e")
    machine.plug("Phone", "3-1", model="18d1:4eed")
    machine.processor_node(10, "bcm2835-codec-decode")
    assert list(usb_cameras(tmp_path, sizes)) == [
        FoundCamera("usb:/dev/v4l/by-id/usb-HD_Webcam_HD_Web_A1-video-index0", "HD Webcam", (1280, 720), "usb:0"),
        FoundCamera("usb:/dev/v4l/by-id/usb-Logi_4K-video-index0", "Logi 4K", None, "usb:2"),
        FoundCamera("usb:/dev/v4l/by-id/usb-Phone-video-index0", "Phone", (1920, 1080), "usb:4"),
    ]


def test_a_camera_that_hangs_when_it_is_opened_holds_up_no_other(tmp_path: Path) -> None:
    machine = UsbMachine(tmp_path)
    machine.plug("Hangs")
    machine.plug("Cam", "1-2")
    is_let_go = threading.Event()

    def opened(device: int | str) -> tuple[int, int] | None:
        if str(device).endswith("0"):
            is_let_go.wait()
        return (640, 480)

    try:
        found = list(usb_cameras(tmp_path, opened, limit_s=0.2))
    finally:
        is_let_go.set()
    assert [(one.name, one.size) for one in found] == [("Hangs", None), ("Cam", (640, 480))]


@pytest.mark.parametrize(
    ("serials", "has_links", "sources"),
    [
        pytest.param(("A1", "A2"), True, ["/dev/v4l/by-id/usb-Cam_A1-video-index0",
                                          "/dev/v4l/by-id/usb-Cam_A2-video-index0"], id="serial-numbers"),
        pytest.param(("", ""), True, ["/dev/v4l/by-path/pci-0000:00:14.0-usb-0:1:1.0-video-index0",
                                      "/dev/v4l/by-path/pci-0000:00:14.0-usb-0:2:1.0-video-index0"], id="no-serials"),
        pytest.param(("SN0001", "SN0001"), True, ["/dev/v4l/by-path/pci-0000:00:14.0-usb-0:1:1.0-video-index0",
                                                  "/dev/v4l/by-path/pci-0000:00:14.0-usb-0:2:1.0-video-index0"],
                     id="the-same-serial"),
        pytest.param(("", ""), False, ["0", "2"], id="nothing-distinguishes-them"),
        pytest.param(("",), False, ["Cam"], id="by-name-without-udev"),
    ],
)  # fmt: skip
def test_what_identifies_a_camera(
    tmp_path: Path, serials: tuple[str, ...], has_links: bool, sources: list[str]
) -> None:
    machine = UsbMachine(tmp_path, has_links=has_links)
    for n, serial in enumerate(serials, 1):
        machine.plug("Cam", f"1-{n}", serial=serial)
    nodes = video_nodes(tmp_path)
    assert [identity(one, nodes) for one in nodes if one.has_pictures] == [f"usb:{source}" for source in sources]


def two_cameras(folder: Path) -> UsbMachine:
    machine = UsbMachine(folder)
    machine.plug("Laptop cam: Laptop c", "1-1", serial="L1", model="0408:30d4")
    machine.plug("HD Webcam", "1-2", serial="W7")
    return machine


@pytest.mark.parametrize(
    ("wanted", "number"),
    [
        ("", 0), ("0", 0), ("2", 2), ("/dev/video2", 2), ("HD Webcam", 2), ("webcam", 2), ("laptop", 0), ("W7", 2),
        ("/dev/v4l/by-id/usb-HD_Webcam_W7-video-index0", 2),
        ("/dev/v4l/by-path/pci-0000:00:14.0-usb-0:1:1.0-video-index0", 0),
    ],
)  # fmt: skip
def test_a_camera_is_found_by_number_path_name_and_serial_number(tmp_path: Path, wanted: str, number: int) -> None:
    two_cameras(tmp_path)
    found = UsbFinder(wanted, tmp_path).find()
    assert found is not None
    assert found.number == number


@pytest.mark.parametrize("wanted", ["2", "HD Webcam", "W7", "/dev/v4l/by-id/usb-HD_Webcam_W7-video-index0"])
def test_a_camera_is_found_again_under_another_number(tmp_path: Path, wanted: str) -> None:
    machine = two_cameras(tmp_path)
    finder = UsbFinder(wanted, tmp_path)
    node = finder.find()
    assert node is not None
    finder.opened(node)
    machine.unplug("1-1")
    machine.unplug("1-2")
    machine.plug("Other", "1-4", model="1111:2222")
    machine.plug("Laptop cam: Laptop c", "1-2", serial="L1", model="0408:30d4")
    with pytest.raises(NoCamera) as gone:
        finder.find()
    assert str(gone.value) == (
        f'camera usb:{wanted}: "HD Webcam" was unplugged; plug it in, or name another: usb:0 "Other", '
        'usb:2 "Laptop cam"'
    )
    machine.plug("HD Webcam", "1-3", serial="W7")
    again = finder.find()
    assert again is not None
    assert (again.number, again.name) == (4, "HD Webcam")


def test_of_two_that_are_alike_the_one_at_its_plug_is_found_again(tmp_path: Path) -> None:
    machine = UsbMachine(tmp_path)
    machine.plug("Cam", "1-1")
    machine.plug("Cam", "1-2")
    finders = [
        UsbFinder("0", tmp_path),
        UsbFinder("/dev/v4l/by-path/pci-0000:00:14.0-usb-0:2:1.0-video-index0", tmp_path),
    ]
    for finder, place in zip(finders, ("1-1", "1-2"), strict=True):
        node = finder.find()
        assert node is not None
        assert node.place == place
        finder.opened(node)
    for place in ("1-1", "1-2"):
        machine.unplug(place)
    machine.plug("Cam", "1-2")
    machine.plug("Cam", "1-1")
    places = [node.place for finder in finders if (node := finder.find()) is not None]
    assert places == ["1-1", "1-2"], "the plugs were swapped, not the cameras"


@pytest.mark.parametrize(
    ("wanted", "complaint"),
    [
        pytest.param("1", "sends no pictures, only data about them; expected usb:0", id="metadata"),
        pytest.param("7", 'not on USB; plug it in, or name another: usb:0 "Cam", usb:2 "Cam"', id="no-such-number"),
        pytest.param("/dev/video9", "not on USB; plug it in, or name another", id="no-such-path"),
        pytest.param("C920", "not on USB; plug it in, or name another", id="no-such-name"),
        pytest.param("cam", "2 cameras are called so; expected usb:/dev/v4l/by-path/pci-0000:00:14.0-usb-0:1:1.0-video-"
                            "index0, usb:/dev/v4l/by-path/pci-", id="two-of-that-name"),
        pytest.param("/dev/v4l/by-id/usb-Cam-video-index0", "2 cameras are called so", id="a-link-for-two"),
    ],
)  # fmt: skip
def test_a_camera_that_is_not_found_is_one_line_that_says_what_is_there(
    tmp_path: Path, wanted: str, complaint: str
) -> None:
    machine = UsbMachine(tmp_path)
    machine.plug("Cam", "1-1")
    machine.plug("Cam", "1-2")
    with pytest.raises(NoCamera) as error:
        UsbFinder(wanted, tmp_path).find()
    assert str(error.value).startswith(f"camera usb:{wanted}: {complaint}")
    assert str(error.value).isprintable()


def test_without_a_camera_on_usb_that_is_said(tmp_path: Path) -> None:
    UsbMachine(tmp_path)
    with pytest.raises(NoCamera, match="camera usb:0: not on USB; there is no camera on USB, plug it in"):
        UsbFinder("", tmp_path).find()


def test_a_film_stands_for_a_camera_and_is_opened_by_its_path(tmp_path: Path) -> None:
    film = tmp_path / "film.avi"
    film.touch()
    machine = UsbMachine(tmp_path / "root")
    machine.plug("Cam", film=film)
    node = UsbFinder("0", machine.root).find()
    assert node is not None
    assert device_of(node) == str(machine.root / "dev/video0")
    assert UsbFinder(str(film), tmp_path).find() is None, "a file that is no camera was looked for among them"


def test_without_a_list_the_first_numbers_are_tried(tmp_path: Path) -> None:
    sizes = {0: (640, 480), 1: (1280, 720)}
    assert [one.source for one in usb_cameras(None, lambda device: sizes.get(int(device)))] == ["usb:0", "usb:1"]
    assert list(usb_cameras(tmp_path / "no-such-root", lambda _: None)) == []
    assert UsbFinder("0", tmp_path / "no-such-root").find() is None


def test_the_size_is_that_of_its_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    film = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(film), cv2.VideoWriter.fourcc(*"MJPG"), 25, (64, 48))
    writer.write(np.zeros((48, 64, 3), np.uint8))
    writer.release()
    capture = cv2.VideoCapture
    monkeypatch.setattr(
        "cardsight.sources.found.cv2.VideoCapture", lambda device: capture(str(film) if device == 0 else "gone.avi")
    )
    assert picture_size(0) == (64, 48)
    assert picture_size(1) is None
