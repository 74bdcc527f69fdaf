"""Cards that the shoe dealt, sealed until the round is over or a ruling needs a hand.

A camera at the card exit (`exit_camera`) reads each card as it passes. The faces of a line ``dealt``,
``drew`` or ``redealt`` go beside it into the journal, in a box that a key per round opens (`box`). The log itself stays
as it is without the camera. `ledger` moves opened faces as the cards were moved: which hand each seat holds, and
whether the deck is whole. `sealing` does both while a game is played; `report` covers rounds that are over.

Nothing that shows a game may import this package (`pyproject.toml`, import-linter). A hand that is opened for a ruling
becomes a line ``shown``, which code that shows or exports a log hides until the round is over (`croupier.log_replay`).
"""
