"""Asks every engine the conformance suite and writes what came of it into docs/conformance.md: `python -m
tools.conformance`, after `make bench` has installed the engines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from croupier_bench.conformance import Peer, asked, lengths
from croupier_bench.conformance.script import SHEET
from croupier_bench.conformance.suite import FAILED, NOT_ASKED, PASSED, Result, counted
from croupier_rules.rules import load

PAGE: Final = Path("docs/conformance.md")
COUNTED: Final = "<!-- counted -->"


def main() -> None:
    """Write the page."""
    engines = [(peer, release, results) for peer, release, results in asked() if results is not None]
    head, _, _ = PAGE.read_text(encoding="utf-8").partition(COUNTED)
    text = [COUNTED, "", *_table(engines), "", *_failures(engines), *_lengths()]
    PAGE.write_text(head + "\n".join(text) + "\n", encoding="utf-8")


def _table(engines: list[tuple[Peer, str, list[Result]]]) -> Iterator[str]:
    yield "| engine | from | license | passed | failed | cannot be asked |"
    yield "|---|---|---|--:|--:|--:|"
    for peer, release, results in engines:
        counts = counted(results)
        name = (
            f"{peer.package} {release}" if peer.package != "croupier-rules" else "croupier-rules, as a game that plays"
        )
        yield f"| {name} | {peer.source} | {peer.license} | {counts[PASSED]} | {counts[FAILED]} | {counts[NOT_ASKED]} |"
    yield ""
    yield "What cannot be asked, most often:"
    yield ""
    for peer, _, results in engines:
        why = Counter(one.why for one in results if one.outcome == NOT_ASKED)
        yield f"- {peer.package}: " + "; ".join(f"{text} ({n})" for text, n in why.most_common(4))


def _failures(engines: list[tuple[Peer, str, list[Result]]]) -> Iterator[str]:
    yield f"Failed by {load(SHEET).document.upper()} in English, each with the sentence that the case quotes:"
    yield ""
    yield "| engine | case | the sheet | what was seen |"
    yield "|---|---|---|---|"
    for peer, _, results in engines:
        for one in results:
            if one.outcome == FAILED:
                cite = str(one.case["cite"]).replace("|", "\\|")
                yield f"| {peer.package} | `{one.case['id']}` | {cite} | {one.why} |"
    yield ""


def _lengths() -> Iterator[str]:
    yield f"Mean number of turns in a round of {lengths.ROUNDS:,}, with the standard error:"
    yield ""
    yield "| players | turns |"
    yield "|--:|--:|"
    for one in lengths.measured():
        yield f"| {one.seats} | {one.mean:.2f} ± {one.error:.2f} |"


if __name__ == "__main__":
    main()
