from __future__ import annotations

from pathlib import Path

import pytest

from tests.pictures.standin import Standin


@pytest.fixture
def table(tmp_path: Path) -> Standin:
    return Standin(tmp_path)
