"""The cameras at this machine, as Linux lists them and where nothing does."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from cardsight.sources.found import FoundCamera, picture_size, usb_cameras

NODES = {
    "video0": ("pci0000:00/usb1/1-5", "HD Webcam: HD Webcam", 0),
    "video1": ("pci0000:00/usb1/1-5", "HD Webcam: HD Webcam", 1),
    "video2": ("virtual", "Phone", 0),
    "video10": ("platform/soc/codec", "bcm2835-codec-decode", 0),
    "video12": ("pci0000:00/usb2/2-1", "Logi 4K", 0),
}


def test_each_camera_is_listed_once_with_its_name_and_size(tmp_path: Path) -> None:
    listed = tmp_path / "class"
    listed.mkdir()
    for node, (place, name, index) in NODES.items():
        device = tmp_path / "devices" / place / "video4linux" / node
        device.mkdir(parents=True)
        (device / "name").write_text(f"{name}\n")
        (device / "index").write_text(f"{index}\n")
        (listed / node).symlink_to(device)
    sizes = {0: (1280, 720), 2: (1920, 1080)}
    assert list(usb_cameras(listed, sizes.get)) == [
        FoundCamera("usb:0", "HD Webcam: HD Webcam", (1280, 720)),
        FoundCamera("usb:2", "Phone", (1920, 1080)),
        FoundCamera("usb:12", "Logi 4K", None),
    ]


def test_without_a_list_the_first_numbers_are_tried(tmp_path: Path) -> None:
    assert [one.source for one in usb_cameras(None, {0: (640, 480), 1: (1280, 720)}.get)] == ["usb:0", "usb:1"]
    assert list(usb_cameras(tmp_path / "no-such-list", lambda _: None)) == []


def test_the_size_is_that_of_its_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    film = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(film), cv2.VideoWriter.fourcc(*"MJPG"), 25, (64, 48))
    writer.write(np.zeros((48, 64, 3), np.uint8))
    writer.release()
    capture = cv2.VideoCapture
    monkeypatch.setattr(
        "cardsight.sources.found.cv2.VideoCapture", lambda number: capture(str(film) if number == 0 else "gone.avi")
    )
    assert picture_size(0) == (64, 48)
    assert picture_size(1) is None
