"""README and docs stay short enough to be read."""

from __future__ import annotations

import re
from typing import Final

from tests.docs.documents import PAGES, text_of

MOST: Final = 28_000


def test_readme_and_docs_have_no_more_words_than_agreed() -> None:
    words = {page: len(text_of(page).split()) for page in PAGES if re.fullmatch(r"README\.md|docs/[^/]+", page)}
    longest = ", ".join(f"{page} {words[page]}" for page in sorted(words, key=words.__getitem__, reverse=True)[:5])
    assert (total := sum(words.values())) <= MOST, (
        f"README.md and docs/*.md have {total} words, {total - MOST} too many: shorten a page ({longest}, …)"
    )
