"""Accuracy of the card reader on sources that it was not trained on: `make vision-report`.

Every source is read by a model trained without it: its photographs, and synthetic sets composed of its cards
(`training.measure.sets`). A card counts as read if its face is reported and is in the picture; ``?`` counts as not
read; a reported face that is not in the picture is wrong. Cards that the frame cuts off have no labels in the
photographs, so reports of them do not count. For comparison, the same photographs are read by two methods without a
network and by open recognizers, and a detector of the size of a YOLO-n is timed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import process_time

import cv2
import numpy as np

from croupier_bench.detector import SIDE_PX, detector
from training.measure import classical, models, recognizers, sets, tables
from training.measure.calibration import expected_error, reliability, sure_but_wrong
from training.measure.judging import Result
from training.measure.pictures import contact_sheet, reliability_diagram
from training.measure.report_files import Report
from training.photometry import Array
from training.photos import DRAWN_ON, FOLDS, PHOTOS, ROOT, TABLES, Photo, load, short_first

PARTS = ("photographs", "synthetic", "peers")
OUT = ROOT / "out" / "report"


def measure(
    judged: models.Judged,
    photos: Sequence[Photo],
    report: Report,
    parts: Sequence[str],
    share: float,
    code: Path | None,
) -> None:
    """Read everything with one model and write its report."""
    report.title(f"model {judged.name}: sources it has not seen: {', '.join(judged.folder_of)}")
    scenes = sets.photographs([p for p in photos if p.source in judged.folder_of])
    readers, fitted_for, shipped = models.calibrated(judged, scenes, list(sets.heaps(photos)))
    rounded = {source: _rounded(fitted) for source, fitted in fitted_for.items()}
    report.figures("slope and offset for free and occluded cards, by source, fitted to the other folds", rounded)
    report.figures("fitted to all, for a model that ships", _rounded(shipped))
    results: list[Result] = []
    if "photographs" in parts or "peers" in parts:
        results = models.read(readers, scenes)
        photographs(report, results)
    synthetic: list[Result] = []
    if "synthetic" in parts:
        for source in judged.folder_of:
            fold = next(sources for sources in FOLDS if source in sources)
            beside = [p for p in photos if p.source in fold and p.source in judged.folder_of]
            own = [p for p in photos if p.source == source]
            synthetic += models.read(readers, sets.synthetic(own, beside, share))
        made_sets(report, synthetic)
    scored = [r for r in results if r.scene.source not in DRAWN_ON]
    reported = [(s.confidence, right) for r in (*scored, *synthetic) for s, right in r.reported]
    report.title("confidence of all faces reported in photographs and synthetic sets")
    report.table("reliability", reliability(reported))
    report.figures("expected calibration error", round(expected_error(reported), 5))
    report.figures("faces above 0.9", sure_but_wrong(reported))
    report.title("goals")
    report.table("goals", tables.goals(scored, synthetic))
    reliability_diagram(reported, report.picture("reliability.png"))
    report.figures("misreads in misreads.jpg", contact_sheet([*scored, *synthetic], report.picture("misreads.jpg")))
    if "peers" in parts:
        peers(report, photos, results, code)
    report.title("everything missing or wrong in the photographs, by name")
    report.table("misread photographs", tables.misreads(scored))
    report.close()


def _rounded(fitted: models.Calibrations) -> list[list[float]]:
    return [[round(figure, 4) for figure in calibration] for calibration in fitted]


def trained(photos: Sequence[Photo]) -> models.Judged:
    """Return the models of the folds; train the missing ones first."""
    for number in range(len(FOLDS)):
        if not models.is_there(models.fold(number)):
            from training.folds import Course  # needs PyTorch, which measurement does not

            Course().fold(number, photos)
    return models.folds()


def photographs(report: Report, results: Sequence[Result]) -> None:
    """Report on the photographs."""
    scored = [r for r in results if r.scene.source not in DRAWN_ON]
    report.title("photographs, by source (set-n is drawn on: not in the totals)")
    sources = tables.by(results, lambda r: r.scene.source)
    report.table("photographs", [tables.summary(source, some) for source, some in sources.items()])
    report.title("by print")
    prints = tables.by(scored, lambda r: r.scene.design)
    report.table("prints", [tables.summary(design, some) for design, some in prints.items()])
    report.title("totals")
    for name, value in tables.totals(results).items():
        report.figures(name, value)
    on_tables = [r for r in scored if r.scene.source in TABLES]
    report.figures("CPU milliseconds by stage, median of the tables", tables.stages(on_tables))
    reported = [(s.confidence, right) for r in scored for s, right in r.reported]
    report.figures("faces above 0.9 in photographs", sure_but_wrong(reported))
    report.title("marks for the color-blind (only modern-symbols has them)")
    report.table("marks", tables.marks(scored))
    report.title("confused faces in the photographs")
    report.table("confusion", tables.confusion(scored))


def made_sets(report: Report, synthetic: Sequence[Result]) -> None:
    """Report on the synthetic sets of unseen photographs."""
    report.title("synthetic sets, all sources")
    kinds = tables.by(synthetic, lambda r: r.scene.kind)
    report.table("synthetic sets", [tables.synthetic_row(kind, "all", some) for kind, some in kinds.items()])
    report.title("synthetic sets, by source")
    report.table(
        "synthetic sets by source",
        [
            tables.synthetic_row(kind, source, some)
            for kind, all_of_kind in kinds.items()
            for source, some in tables.by(all_of_kind, lambda r: r.scene.source).items()
        ],
    )
    report.title("covered cards, by visible fraction")
    report.table("covered cards", tables.covered_by_tenth(kinds.get("covered", [])))
    report.title("by lamp and by tilt of the camera")
    notes = tables.by([r for r in synthetic if r.scene.note], lambda r: r.scene.note)
    report.table("lamps and tilts", [tables.synthetic_row(note, "all", some) for note, some in notes.items()])
    marked = [r for r in kinds.get("gray", []) if r.scene.design == "modern-symbols"]
    if marked:
        report.figures("gray photographs of cards with marks", tables.synthetic_row("gray", "marks", marked))
    report.table("confusion in synthetic sets", tables.confusion(synthetic)[:40])


def peers(report: Report, photos: Sequence[Photo], ours: Sequence[Result], code: Path | None) -> None:
    """Report on other methods on the same photographs, and their times."""
    scored = [r for r in ours if r.scene.source not in DRAWN_ON]
    results = {"this reader": scored}
    running = recognizers.runnable(code)
    for sources in FOLDS:
        here = [r for r in scored if r.scene.source in sources]
        known = classical.templates([p for p in photos if p.source not in (*sources, *DRAWN_ON)])
        ways = {"threshold, contours, corner template": classical.Classical(known).read, **running}
        for name, way in ways.items():
            results.setdefault(name, []).extend(models.timed(way, r.scene) for r in here)
        nearest = classical.NearestTemplate(known)
        given = [models.timed(partial(nearest.read, outlines=_outlines(r)), r.scene) for r in here]
        results.setdefault("our outlines, nearest template", []).extend(given)
    report.title("other methods on the same photographs")
    rows = []
    for name, some in results.items():
        for part, there in (("tables", True), ("single cards", False)):
            row = tables.summary(name, [r for r in some if (r.scene.source in TABLES) == there])
            rows.append({"method": name, "on": part, **{k: row[k] for k in row if k not in ("source", "photos")}})
    report.table("peers", rows)
    report.table("recognizers", recognizers.reported(running))
    report.figures(f"time of a YOLO-n-size detector at {SIDE_PX} px, ms of CPU", _detector_ms(ours[0].scene.picture()))


def _outlines(result: Result) -> list[Array]:
    return [short_first(np.array(s.corners_px, np.float32)) for s in result.reading.cards]


def _detector_ms(image: Array) -> float:
    _runtime, run_detector = detector()
    run_detector(image)
    times = []
    for _ in range(9):
        began = process_time()
        run_detector(image)
        times.append((process_time() - began) * 1000)
    return round(float(np.median(times)), 1)


def main() -> int:
    """Measure the selected parts and print the report."""
    parser = argparse.ArgumentParser(prog="python -m training.report", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument(
        "--model", action="append", metavar="FOLDER[:SEEN,…]",
        help="a model to measure instead of those of the folds, and the sources it was trained on; may be repeated",
    )  # fmt: skip
    parser.add_argument("--only", choices=PARTS, action="append", help="only this part; may be repeated")
    parser.add_argument("--share", type=float, default=1.0, help="fraction of each synthetic set, 0…1")
    parser.add_argument("--recognizers", type=Path, metavar="FOLDER", help="copies of open recognizers, as OWNER/NAME")
    parser.add_argument("--out", type=Path, default=OUT, help="where text, JSON, CSV and pictures go")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    try:
        photos = load() if PHOTOS.exists() else []
        if not photos:
            raise FileNotFoundError(f"no photographs in {PHOTOS}; name their folder in CROUPIER_PHOTOS")
        judged = [models.one(spec) for spec in args.model] if args.model else [trained(photos)]
        for one in judged:
            measure(one, photos, Report(args.out / one.name), args.only or PARTS, args.share, args.recognizers)
    except (FileNotFoundError, ValueError) as error:
        print(f"vision-report: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
