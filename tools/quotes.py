"""Compares the sentences that the rulesets quote with the printed documents: `python -m tools.quotes FOLDER`.

The documents are not part of the repository. The digests of the compared sentences are in tests/rules/quotes.json; a
test fails if a ruleset quotes a sentence that was not compared.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Final

from croupier_rules.rules import RuleSet, load, names
from croupier_rules.rules.ruleset import Rule
from tools import greek
from tools.lock import ROOT

RECORD: Final = ROOT / "tests/rules/quotes.json"

FILE_OF: Final = {"official-el": "000", "g7942": "002", "classic-hu": "003", "house-rules-pl": "004"}
"""By document: the prefix of its text file."""


def letters(text: str) -> str:
    """Remove white space, since the sheets break lines anywhere."""
    return re.sub(r"\s+", "", text)


def quotes(rules: RuleSet) -> Iterator[tuple[str, str, Rule]]:
    """Yield rule id, sentence and rule of each quote of a ruleset."""
    for rule, row in rules.rules.items():
        for quote in (row.quote, *row.quotes.values()):
            yield rule, quote, row


def digests(rules: RuleSet) -> list[str]:
    """Return the sorted digests of all sentences that a ruleset quotes."""
    return sorted({sha256(letters(quote).encode()).hexdigest()[:16] for _, quote, _ in quotes(rules) if quote})


TORN: Final = {"g7942-en": 1, "classic-hu": 2}
"""By ruleset: how often the columns of its document split a sentence, at most."""


def _stands(quote: str, document: str, tears: int) -> bool:
    """True if the document has the quote, whole or in pieces of ten letters or more."""
    if quote in document:
        return True
    cuts = range(10, len(quote) - 9) if tears else ()
    return any(quote[:n] in document and _stands(quote[n:], document, tears - 1) for n in reversed(cuts))


def missing(rules: RuleSet, text: str) -> list[tuple[str, str]]:
    """Return rule id and sentence of each quote that the ``text`` of its document lacks."""
    document, garbled = letters(text), greek.document(text) if rules.name == "g7942-el" else ""

    def is_there(quote: str, row: Rule) -> bool:
        if garbled and row.quoted_from is None:
            return greek.survived(quote) in garbled
        return _stands(letters(quote), document, TORN.get(rules.name, 0))

    return [(rule, quote) for rule, quote, row in quotes(rules) if not is_there(quote, row)]


def main(folder: Path) -> int:
    """Compare all rulesets with the documents in ``folder`` and record the digests."""
    record, status = {}, 0
    for rules in map(load, names()):
        if rules.own_words:
            continue
        (file,) = folder.glob(f"{FILE_OF[rules.document]}_*.txt")
        for rule, quote in missing(rules, file.read_text(encoding="utf-8")):
            print(f"{rules.name}: {rule}: not in {file.name}: {quote}", file=sys.stderr)
            status = 1
        record[rules.name] = digests(rules)
    if status == 0:
        RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
