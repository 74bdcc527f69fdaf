"""Open UNO recognizers: a list, and adapters for those that can be run on the same photographs.

None of their code is part of this repository. To measure one, put a copy of its repository, with its weights or
templates, into ``OWNER/NAME`` below the folder given to the report.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from cardsight import Reading, Sighting
from training.photometry import Array

Recognizer = Callable[[Array], Reading]


@dataclass(frozen=True)
class Known:
    """A recognizer: its method, and what it needs."""

    method: str
    needs: str


KNOWN: Mapping[str, Known] = {
    "R3xol/UNO_card_recognition": Known("threshold, contours, Hu moments, ranges of hue; knows 1, 3, 5, skip, +2", ""),
    "criscardMDX/Uno_Cards_Reader": Known("contours, shape features, color means", "its folder Train (pictures)"),
    "Nuno-Ferreira/recognise_uno_cards": Known("contour features, scikit-learn", "digits_classifier.p (pickle)"),
    "mabrao/UnoCardDetecter": Known("contours, ORB descriptors, scikit-learn", "color_classifier.p and its pictures"),
    "AiswaryaShajan/UNO_Card_Detection": Known("HSV masks, SIFT templates", "its folders of templates (pictures)"),
    "reiamenezes2004/pde4434_cw2_M00791121": Known("ORB and template matching", "its folder unocardimages"),
    "svolsch/uno-card-detection": Known("HSV ranges, contour features, random forest", "its pickled forest"),
    "cnkwo/UNO_Card_Recognition": Known("contour features, scikit-learn", "c_classifer.sav (pickle)"),
    "jx0424/UNO-card-recognition": Known("contours, color ranges, scikit-learn", "its trained classifier"),
    "EZoretich/Computer_Vision_UNO_Cards_Recognition": Known("scikit-learn on pixels", "its data set and classifier"),
    "thealinivan/uno-cards": Known("small CNN, TensorFlow 2.8", "its trained CNN; TensorFlow 2.8 needs Python 3.10"),
    "adrianlachowicz/Uno-Card-Detector": Known("Faster R-CNN, PyTorch", "weights that it does not publish"),
    "alpha-hack-program/yolo-uno-cards": Known("YOLO", "weights that it does not keep in the repository"),
    "Thannnnnas/uno_card_detector": Known("YOLOv8", "its best.pt, and ultralytics"),
    "Natnael-k/uno_card_detection": Known("OpenCV, scikit-learn", "its trained classifier"),
}
"""Recognizers that were examined. Pickles are not run: loading one executes its author's code, for old library
versions."""


def runnable(folder: Path | None) -> dict[str, Recognizer]:
    """Return the recognizers of `KNOWN` in ``folder`` that need nothing but their own code."""
    if folder is None:
        return {}
    return {name: adapted(folder / name) for name, adapted in _ADAPTERS.items() if (folder / name).is_dir()}


def rows(running: Mapping[str, Recognizer]) -> list[dict[str, str]]:
    """Return a row for every recognizer of `KNOWN`: its method, and why it was not run."""
    return [
        {"recognizer": name, "method": known.method, "run": "yes" if name in running else f"no: {_why(known)}"}
        for name, known in KNOWN.items()
    ]


def _why(known: Known) -> str:
    return f"needs {known.needs}" if known.needs else "no copy of it given (--recognizers FOLDER)"


def _r3xol(folder: Path) -> Recognizer:
    module = _module(folder / "CardDetector.py")
    color = {"ZIELONA": "green", "NIEBIESKA": "blue", "ZOLTA": "yellow", "CZERWONA": "red"}
    symbol = {"+2": "draw2", "ZK": "reverse", "1": "1", "3": "3", "5": "5"}

    def read(image: Array) -> Reading:
        size = (image.shape[1], image.shape[0])
        detector = module.CardDetector(image)
        try:
            detector.cut_cards()
            detector.process_cards()
        except Exception:
            return Reading(size, ())  # it fails on pictures unlike its own
        cards = []
        for card in detector._cards:
            box = [(float(x) / 0.6, float(y) / 0.6) for x, y in card.box]
            named = card.color in color and card.symbol in symbol
            face = f"{color[card.color]}-{symbol[card.symbol]}" if named else "?"
            corners = (box[0], box[1], box[3], box[2])
            cards.append(Sighting(face, 1.0 if named else 0.0, corners, None, () if named else (("wild", 0.0),)))
        return Reading(size, tuple(cards))

    return read


_ADAPTERS: Mapping[str, Callable[[Path], Recognizer]] = {"R3xol/UNO_card_recognition": _r3xol}


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"recognizer_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
