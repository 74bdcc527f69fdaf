"""The button that sends the evening, on each page that shows the end of a game."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from fastapi import APIRouter

from croupier.web.pages import PagePlugin

PLUGIN_PAGE: Final = PagePlugin(
    APIRouter(), Path(__file__).parent, keepsakes=("send.html",), scripts=("send.js",), needs_journal=False
)
