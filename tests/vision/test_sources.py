from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
import pillow_heif
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps, TiffImagePlugin

from cardsight.errors import NotAPicture
from cardsight.headers import stated_size
from cardsight.sources import (
    MAX_MEGAPIXELS,
    MAX_SIDE_PX,
    MIN_SIDE_PX,
    TRANSPARENT_BGR,
    Picture,
    decode_picture,
    load_picture,
)

WIDTH, HEIGHT = 60, 40
LEFT, RIGHT = (200, 40, 30), (20, 90, 220)
"""The two halves of the picture that all tests write, as red, green, blue."""


def halves() -> Image.Image:
    image = Image.new("RGB", (WIDTH, HEIGHT), LEFT)
    image.paste(RIGHT, (WIDTH // 2, 0, WIDTH, HEIGHT))
    return image


def encoded(image: Image.Image, kind: str, **options: object) -> bytes:
    file = BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def is_halves(picture: Picture) -> bool:
    """Left and right in the right colors, as far as a lossy format keeps them."""
    left, right = picture[HEIGHT // 2, WIDTH // 4, ::-1], picture[HEIGHT // 2, 3 * WIDTH // 4, ::-1]
    return bool(np.abs(left - np.array(LEFT)).max() < 12 and np.abs(right - np.array(RIGHT)).max() < 12)


FILES: dict[str, Callable[[], bytes]] = {
    "jpeg": lambda: encoded(halves(), "JPEG", quality=95),
    "jpeg-progressive": lambda: encoded(halves(), "JPEG", quality=95, progressive=True),
    "jpeg-cmyk": lambda: encoded(halves().convert("CMYK"), "JPEG", quality=95),
    "png": lambda: encoded(halves(), "PNG"),
    "png-palette": lambda: encoded(halves().quantize(4), "PNG"),
    "png-opaque-alpha": lambda: encoded(halves().convert("RGBA"), "PNG"),
    "webp-lossy": lambda: encoded(halves(), "WEBP", quality=95),
    "webp-lossless": lambda: encoded(halves(), "WEBP", lossless=True),
    "webp-extended": lambda: encoded(halves(), "WEBP", lossless=True, exif=Image.Exif()),
    "tiff": lambda: encoded(halves(), "TIFF"),
    "tiff-lzw": lambda: encoded(halves(), "TIFF", compression="tiff_lzw"),
    "tiff-cmyk": lambda: encoded(halves().convert("CMYK"), "TIFF"),
    "bmp": lambda: encoded(halves(), "BMP"),
    "bmp-palette": lambda: encoded(halves().quantize(4), "BMP"),
    "png-16-bit": lambda: cv2.imencode(".png", np.array(halves())[..., ::-1].astype(np.uint16) * 257)[1].tobytes(),
    "tiff-16-bit": lambda: cv2.imencode(".tiff", np.array(halves())[..., ::-1].astype(np.uint16) * 257)[1].tobytes(),
}


@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
def test_every_format_gives_the_same_colors_and_size(file: Callable[[], bytes]) -> None:
    data = file()
    picture = decode_picture(data)
    assert picture.shape == (HEIGHT, WIDTH, 3)
    assert picture.dtype == np.uint8
    assert is_halves(picture)
    assert stated_size(data) == (WIDTH, HEIGHT)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "TIFF"])
def test_gray_pictures_become_three_equal_channels(kind: str) -> None:
    picture = decode_picture(encoded(Image.new("L", (WIDTH, HEIGHT), 77), kind))
    assert picture.shape == (HEIGHT, WIDTH, 3)
    assert np.all(np.abs(picture.astype(int) - 77) <= 1)


def test_sixteen_bit_gray_is_scaled_not_cut() -> None:
    deep = np.full((HEIGHT, WIDTH), 200 * 257, np.uint16)
    assert np.all(decode_picture(cv2.imencode(".png", deep)[1].tobytes()) == 200)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_pictures_are_turned_as_exif_asks(kind: str, orientation: int) -> None:
    image, exif = halves(), Image.Exif()
    image.paste((0, 0, 0), (0, 0, WIDTH // 4, HEIGHT // 4))
    exif[0x0112] = orientation
    data = encoded(image, kind, exif=exif, **({} if kind == "JPEG" else {"lossless": True}))
    shown = np.asarray(ImageOps.exif_transpose(Image.open(BytesIO(data))).convert("RGB"))[..., ::-1]
    picture = decode_picture(data)
    assert picture.shape == shown.shape
    assert np.abs(picture.astype(int) - shown).mean() < 3


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "TIFF"])
def test_what_is_transparent_becomes_gray(kind: str) -> None:
    image = halves().convert("RGBA")
    image.paste((0, 0, 0, 0), (0, 0, WIDTH, 10))
    picture = decode_picture(encoded(image, kind))
    assert np.all(picture[:10] == TRANSPARENT_BGR)


@pytest.mark.parametrize("deep", [False, True], ids=["8-bit", "16-bit"])
def test_what_is_half_transparent_is_mixed_with_gray(deep: bool) -> None:
    image = np.full((HEIGHT, WIDTH, 4), (*LEFT[::-1], 51), np.uint8)
    stored = image.astype(np.uint16) * 257 if deep else image
    picture = decode_picture(cv2.imencode(".png", stored)[1].tobytes())
    mixed = np.array(LEFT[::-1]) * 0.2 + np.array(TRANSPARENT_BGR) * 0.8
    assert np.abs(picture - mixed).max() <= 0.6


def heic(picture: Image.Image) -> bytes:
    """A picture as an iPhone writes it."""
    file = BytesIO()
    pillow_heif.from_pillow(picture).save(file, quality=95)
    return file.getvalue()


def test_a_picture_of_an_iphone_is_read() -> None:
    picture = decode_picture(heic(halves()))
    assert picture.shape == (HEIGHT, WIDTH, 3)
    assert picture.dtype == np.uint8
    assert is_halves(picture)


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.95])
def test_a_heic_picture_that_was_cut_off_is_refused(kept: float) -> None:
    data = heic(Image.effect_noise((WIDTH, HEIGHT), 80).convert("RGB"))
    with pytest.raises(NotAPicture):
        decode_picture(data[: int(len(data) * kept)])


def test_a_heic_picture_too_small_for_a_card_is_refused() -> None:
    with pytest.raises(NotAPicture, match="too few"):
        decode_picture(heic(Image.new("RGB", (MIN_SIDE_PX - 1, 100))))


def test_without_the_extra_a_heic_picture_is_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    data = heic(halves())
    monkeypatch.setitem(sys.modules, "pillow_heif", None)
    with pytest.raises(NotAPicture, match="install the extra heic to read it, or set the phone to JPEG"):
        decode_picture(data)


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG", "TIFF"])
def test_of_a_moving_picture_or_one_of_several_pages_the_first_is_read_or_it_is_named(kind: str) -> None:
    other = [Image.new("RGB", (WIDTH, HEIGHT), color) for color in ("white", "black")]
    data = encoded(halves(), kind, save_all=True, append_images=other, **({"lossless": True} if kind == "WEBP" else {}))
    try:
        told = f"halves: {is_halves(decode_picture(data))}"
    except NotAPicture as fault:
        told = str(fault)
    assert told == "halves: True" if kind != "GIF" else told.startswith("a GIF picture")


def png_that_claims(width: int, height: int) -> bytes:
    """A PNG whose head states a size that its few bytes do not hold."""
    return encoded(halves(), "PNG")[:16] + struct.pack(">II", width, height) + encoded(halves(), "PNG")[24:]


def avif(brand: bytes = b"avif") -> bytes:
    """A picture as browsers save it; with ``brand`` as its main one."""
    data = encoded(halves(), "AVIF")
    return data[:8] + brand + data[12:]


def camera_raw(*tags: int) -> bytes:
    """A TIFF with a thumbnail and further tags, as cameras write the data of their sensors."""
    info = TiffImagePlugin.ImageFileDirectory_v2()
    for tag in tags:
        info.tagtype[tag], info[tag] = 4, 1
    return encoded(halves(), "TIFF", tiffinfo=info)


NOT_READ = "which is not read; expected JPEG, PNG, WebP, TIFF or BMP: save it as one of these"

SPOILT: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "empty"),
    "text": (b"red-7, blue-2\n", "not a picture"),
    "gif": (encoded(halves(), "GIF"), "a GIF picture, which has too few colors; expected JPEG, PNG"),
    "pdf": (b"%PDF-1.7\n", "a PDF document; expected a picture"),
    "avif": (avif(), f"a picture in the format AVIF, {NOT_READ}"),
    "avif-of-any-codec": (avif(b"mif1"), f"a picture in the format AVIF, {NOT_READ}"),
    "avif-moving": (avif(b"avis"), f"a picture in the format AVIF, {NOT_READ}"),
    "jpeg-2000": (encoded(halves(), "JPEG2000"), f"a picture in the format JPEG 2000, {NOT_READ}"),
    "jpeg-xl": (b"\xff\x0a\xfa\x1f\x01" + bytes(40), f"a picture in the format JPEG XL, {NOT_READ}"),
    "jpeg-xl-box": (b"\0\0\0\x0cJXL \r\n\x87\n", f"a picture in the format JPEG XL, {NOT_READ}"),
    "svg": (b'<svg xmlns="http://www.w3.org/2000/svg"/>', f"a picture in the format SVG, {NOT_READ}"),
    "svg-xml": (b'\xef\xbb\xbf<?xml version="1.0"?>\n<svg/>', f"a picture in the format SVG, {NOT_READ}"),
    "photoshop": (b"8BPS\0\1" + bytes(40), f"a picture in the format Photoshop, {NOT_READ}"),
    "icon": (encoded(halves(), "ICO"), f"a picture in the format ICO, {NOT_READ}"),
    "raw-dng": (camera_raw(50706), f"a picture in the format raw, {NOT_READ}"),
    "raw-nef": (camera_raw(254, 330), f"a picture in the format raw, {NOT_READ}"),
    "raw-cr3": (b"\0\0\0\x18ftypcrx \0\0\0\1crx isom", f"a picture in the format raw, {NOT_READ}"),
    "raw-fuji": (b"FUJIFILMCCD-RAW 0201", f"a picture in the format raw, {NOT_READ}"),
    "web-page": (b"\n<!DOCTYPE html><html><body>Not found</body></html>", "a web page; expected a picture"),
    "video": (b"\0\0\0\x20ftypisom\0\0\2\0isomiso2avc1mp41", "a video; expected a picture: JPEG"),
    "heic-head": (b"\0\0\0\x18ftypheic" + bytes(12), "a HEIC picture that is damaged"),
    "one-pixel": (encoded(Image.new("RGB", (1, 1)), "PNG"), "1x1 pixels are too few"),
    "a-line": (encoded(Image.new("RGB", (500, MIN_SIDE_PX - 1)), "PNG"), "too few"),
    "108-megapixels": (
        png_that_claims(12000, 9000),
        f"12000x9000 is 108 megapixels; expected at most {MAX_MEGAPIXELS}",
    ),
    "panorama": (png_that_claims(40000, 1000), f"40000x1000 is too long to one side; expected at most {MAX_SIDE_PX}"),
    "tower": (png_that_claims(1000, 40000), "too long to one side"),
    "bomb": (png_that_claims(2**31 - 1, 2**31 - 1), "megapixels"),
    "floats": (encoded(Image.new("F", (WIDTH, HEIGHT)), "TIFF"), "float32"),
    "head-only": (encoded(halves(), "JPEG")[:3], "not a picture"),
    "damaged": (encoded(halves(), "JPEG")[:-100], "damaged or cut off"),
    "chunk-of-2-GB": (
        encoded(halves(), "PNG")[:33] + b"\x7f\xff\xff\xff" + encoded(halves(), "PNG")[37:],
        "not a picture",
    ),
    "endless-directory": (b"II*\0" + struct.pack("<IH", 8, 65535), "not a picture"),
}


@pytest.mark.parametrize(("data", "told"), SPOILT.values(), ids=SPOILT)
def test_what_is_no_picture_is_reported_in_one_line(data: bytes, told: str) -> None:
    with pytest.raises(NotAPicture) as caught:
        decode_picture(data)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
@pytest.mark.parametrize("kept", [0.1, 0.5, 0.95])
def test_a_picture_that_was_cut_off_is_refused_never_half_read(file: Callable[[], bytes], kept: float) -> None:
    data = file()
    with pytest.raises(NotAPicture):
        decode_picture(data[: int(len(data) * kept)])


@given(place=st.integers(0, 10_000), noise=st.binary(min_size=1, max_size=40), name=st.sampled_from(sorted(FILES)))
def test_damaged_files_give_a_picture_or_one_line(place: int, noise: bytes, name: str) -> None:
    data = bytearray(FILES[name]())
    place %= len(data)
    data[place : place + len(noise)] = noise
    try:
        told = f"{decode_picture(bytes(data)).shape[2]} channels"
    except NotAPicture as fault:
        told = str(fault)
    assert told == "3 channels" or ("expected" in told and "\n" not in told)


def test_the_decoders_print_nothing_themselves(tmp_path: Path) -> None:
    spoilt = tmp_path / "cut.png"
    spoilt.write_bytes(FILES["png"]()[:-30])
    code = f"from cardsight.sources import load_picture\nload_picture({str(spoilt)!r})"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False).stderr
    assert "NotAPicture" in told.splitlines()[-1]
    assert "libpng" not in told
    assert "WARN" not in told


def test_a_closed_standard_error_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(FILES["png"]())
    code = "import os\nfrom cardsight.sources import load_picture\nos.close(2)\nprint(load_picture('a.png').shape)"
    python = [sys.executable, "-c", code]
    told = subprocess.run(python, cwd=tmp_path, capture_output=True, text=True, check=False).stdout
    assert told == f"({HEIGHT}, {WIDTH}, 3)\n"


def test_a_file_is_loaded_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "Tisch ☃.png"
    path.write_bytes(FILES["png"]())
    assert is_halves(load_picture(path))


def test_files_that_cannot_be_opened_say_why(tmp_path: Path) -> None:
    for path, told in ((tmp_path / "none.jpg", "no such file"), (tmp_path, "folder"), ("x" * 999, "cannot be opened")):
        with pytest.raises(NotAPicture, match=told):
            load_picture(path)


def test_a_file_without_the_right_to_read_says_so(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "mine.png").touch(mode=0)
    # Root may read everything, so the test steps down to nobody.
    step_down = "import os\nos.setuid(65534)\n" if os.getuid() == 0 else ""
    code = f"from cardsight.sources import load_picture\n{step_down}load_picture('mine.png')"
    python = [sys.executable, "-c", code]
    told = subprocess.run(python, cwd=tmp_path, capture_output=True, text=True, check=False).stderr
    assert "no right to read" in told.splitlines()[-1]


def test_reading_an_endless_file_comes_to_an_end() -> None:
    with pytest.raises(NotAPicture, match="more than"):
        load_picture("/dev/zero")
