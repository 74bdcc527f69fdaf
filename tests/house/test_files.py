"""A file is written whole or not at all."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from croupier.files import write_whole


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("fails", ["os.fsync", "os.chmod", "os.replace"])
def test_a_file_that_cannot_be_replaced_is_as_it_was(
    fails: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kept"
    path.write_text("before")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(fails, full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, b"after")
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_who_may_read_a_file_may_still_read_it_and_nobody_else(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    write_whole(path, b"new")
    assert mode(path) == 0o644
    path.chmod(0o640)
    write_whole(path, b"newer")
    assert mode(path) == 0o640
    write_whole(path, b"secret", 0o600)
    assert (mode(path), path.read_bytes()) == (0o600, b"secret")


def test_a_link_to_a_file_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("before")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_whole(tmp_path / "link", b"after")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"after"
