"""What others say in English: Typer, the operating system, the card reader. `croupier.i18n.from_others` looks it up."""

from __future__ import annotations

from typing import Final

from croupier.errors import marked

TEXTS: Final = (
    # Typer, around the text of another error; without the full stop at the end.
    marked("{error} (Possible options: {names})"),
    marked("{error}. Did you mean {names}?"),
    marked("Invalid value for {name}: {error}"),
    marked("Invalid value: {error}"),
    # Typer
    marked("No such option: {name}"),
    marked("No such command {name}"),
    marked("Missing command"),
    marked("Missing argument {name}"),
    marked("Missing option {name}"),
    marked("Option {name} requires an argument"),
    marked("Option {name} does not take a value"),
    marked("Got unexpected extra argument(s) ({words})"),
    marked("Input should be a valid integer, unable to parse string as an integer"),
    marked("Input should be a valid number, unable to parse string as a number"),
    marked("Input should be greater than or equal to {limit}"),
    marked("Input should be less than or equal to {limit}"),
    marked("Value error, {name} is not one of {names}"),
    marked("dir {name} does not exist"),
    marked("dir {name} is a file"),
    # Typer's help
    marked("Arguments"),
    marked("Options"),
    marked("Commands"),
    marked("default: {value}"),
    marked("env var: {name}"),
    marked("required"),
    # the operating system
    marked("No such file or directory"),
    marked("Permission denied"),
    marked("Operation not permitted"),
    marked("Is a directory"),
    marked("Not a directory"),
    marked("File exists"),
    marked("File name too long"),
    marked("No space left on device"),
    marked("Disk quota exceeded"),
    marked("Read-only file system"),
    marked("Input/output error"),
    marked("Device or resource busy"),
    marked("No such device"),
    marked("Too many open files"),
    marked("Broken pipe"),
    marked("Connection refused"),
    marked("Connection reset by peer"),
    marked("Connection timed out"),
    marked("No route to host"),
    marked("Network is unreachable"),
    marked("Address already in use"),
    marked("Cannot assign requested address"),
    marked("Name or service not known"),
    marked("Temporary failure in name resolution"),
    # the card reader: pictures and videos
    marked("no such file; expected a picture"),
    marked("this is a folder; expected a picture, as in FOLDER/*.jpg"),
    marked("no right to read this file; allow it, or ask its owner"),
    marked("cannot be opened: {why}"),
    marked("more than {size} MB; expected a picture"),
    marked("the file is empty; expected a picture"),
    marked("not a picture, or one that is damaged; expected {kinds}"),
    marked("the picture is damaged or cut off; expected a whole one, copy or take it again"),
    marked("JPEG, PNG, WebP, TIFF or BMP"),
    marked("a PDF document; expected a picture: save its page as {kinds}, or photograph the cards"),
    marked("a GIF picture, which has too few colors; expected {kinds}: save it as one of these"),
    marked("{size} is {n} megapixels; expected at most {most}, 1920x1080 is plenty"),
    marked("{size} is too long to one side; expected at most {most} pixels, 1920x1080 is plenty"),
    marked("{size} pixels are too few to show a card; expected at least {least} a side"),
    marked(
        "a HEIC picture; install the extra heic to read it, or set the phone to JPEG "
        "(iPhone: Settings, Camera, Formats, Most Compatible)"
    ),
    marked("a HEIC picture that is damaged or cut off; expected a whole one"),
    marked("its pixels are {kind} numbers; expected 8 or 16 bits for each color"),
    marked("no such file; expected a video"),
    marked("not a video, or one that is damaged; expected MP4, MKV, AVI or the like"),
    marked("no such file; make it with croupier calibrate"),
    marked("no such file; make it with croupier enroll"),
    marked("cannot be opened, {why}; expected a file made by croupier enroll"),
    marked("this is no deck profile, or it is damaged; expected a file made by croupier enroll"),
)
