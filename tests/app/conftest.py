from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.pictures import Standin


@pytest.fixture
def table(tmp_path: Path) -> Standin:
    return Standin(tmp_path)
