"""What can go wrong at a table, in people's words: what it is and what to do about it, in the language of the reader.

A trouble is named by ``device`` and ``kind``, as in the `fault` of a table log.
"""

from __future__ import annotations

from typing import Final

from croupier.languages import _, marked

_WORDS: Final[dict[tuple[str, str], str]] = {
    ("camera", "missing"): marked("No picture comes from the camera: look at its cable and at [camera] source."),
    ("camera", "no-picture"): marked("The camera sends no pictures: look at its cable."),
    ("camera", "frozen"): marked("The camera's picture stands still: unplug the camera and plug it in again."),
    ("camera", "dark"): marked("The camera sees nothing but darkness: switch on the light, take off the lens cap."),
    ("camera", "blurred"): marked("The camera's picture is blurred: clean and focus the lens."),
    ("camera", "covered"): marked("Something covers the camera: take it away."),
    ("camera", "moved"): marked("The camera was moved: put it back, or calibrate the table anew."),
    ("pico", "gone"): marked("The Pico does not answer: look at its cable and its supply."),
    ("pico", "other-firmware"): marked("The Pico's firmware is of another version: croupier firmware install."),
    ("pi", "gone"): marked("The Pi's pins cannot be used: croupier doctor tells why."),
    ("shoe", "jam"): marked("A card is stuck in the shoe: open it, take the card out, and press go."),
    ("shoe", "double-feed"): marked("Two cards came at once: put the last one back into the shoe, and press go."),
    ("shoe", "empty"): marked("The shoe is empty: fill it, and press go."),
    ("shoe", "job-in-doubt"): marked(
        "The shoe lost its power while it dealt: count the cards that seat got, and tell."
    ),
    ("shoe", "in-doubt"): marked("The shoe lost its power while it dealt: count the cards that seat got, and tell."),
    ("shoe", "not-cleared"): marked("The shoe still waits for help: look into it, and press go."),
    ("shoe", "no-seat"): marked("The shoe does not know where this seat is: look at [seats] and [shoe] angles."),
    ("table", "restarted"): marked("The program was started anew: put the table as the page shows it, and press go."),
    ("panel", "pause"): marked("Somebody pressed pause: go plays on."),
    ("journal", "not-written"): marked("The game cannot be written down, and waits: make room on the disk."),
    ("page", "gone"): marked("The page cannot be shown: another program may have its port."),
    ("clock", "set"): marked("The clock of this machine was set; nothing rests on it but the dates of games."),
}
"""All of them that have words of their own."""

_OTHERS: Final = marked("Trouble with {device}: {kind}.")

_OVER: Final[dict[str, str]] = {
    "camera": marked("The camera sees the table again."),
    "pico": marked("The Pico is back."),
    "pi": marked("The Pi's pins can be used again."),
    "journal": marked("The game is written down again; nothing is missing."),
    "page": marked("The page is up."),
}


def wrong(device: str, kind: str) -> str:
    """What is wrong, and what to do about it."""
    words = _WORDS.get((device, kind))
    return _(_OTHERS, device=device, kind=kind) if words is None else _(words)


def over(device: str) -> str:
    """The trouble with this device is over."""
    return _(_OVER[device]) if device in _OVER else _("{device}: all is well again.", device=device)
