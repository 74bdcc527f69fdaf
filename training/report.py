"""Accuracy of the model on sources that it has not learned from: `make vision-report`.

It reads their photographs, and synthetic sets composed of their cards (`training.measure.sets`). A card counts as read
if its face is reported and is in the picture; ``?`` counts as not read; a reported face that is not in the picture is
wrong. Cards that the frame cuts off have no labels in the photographs, so reports of them do not count. For comparison,
the same photographs are read by two methods without a network and by open recognizers, and a detector of the size of a
YOLO-n is timed.
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

from cardsight import layout, model
from cardsight.reader import Reader
from croupier_bench.detector import SIDE_PX, detector
from training import card
from training.measure import classical, covered, models, recognizers, sets, tables
from training.measure.calibration import expected_error, reliability, sure_but_wrong
from training.measure.judging import Result
from training.measure.pictures import contact_sheet, reliability_diagram
from training.measure.report_files import Report
from training.photometry import Array
from training.photos import DRAWN_ON, GROUPS, PHOTOS, ROOT, TABLES, Photo, load, short_first

PARTS = ("photographs", "synthetic", "covered", "peers")
COMPOSED = 1000
"""Number of composed pictures with cards under others."""
OUT = ROOT / "out" / "report"


def measure(
    folder: Path,
    photos: Sequence[Photo],
    report: Report,
    parts: Sequence[str],
    share: float,
    code: Path | None,
) -> None:
    """Read everything with the model in a folder and write its report."""
    learned = card.record(folder).learned
    sources = models.unseen(learned) or models.SOURCES
    report.title(f"model {folder.name}, which has learned from {', '.join(learned) or 'no photographs'}")
    read = Reader(model.load(folder)).read
    results: list[Result] = []
    if "photographs" in parts or "peers" in parts:
        results = models.read(read, sets.photographs([p for p in photos if p.source in sources]))
        photographs(report, results)
    synthetic: list[Result] = []
    if "synthetic" in parts:
        for source in sources:
            own = [p for p in photos if p.source == source]
            synthetic += models.read(read, sets.synthetic(own, sets.of_group(source, photos), share))
        made_sets(report, synthetic)
    if "covered" in parts:
        fitted = layout.load()
        under_others(folder, fitted, photos, sources, report, round(COMPOSED * share))
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


def under_others(
    folder: Path,
    fitted: layout.LayoutModel,
    photos: Sequence[Photo],
    sources: Sequence[str],
    report: Report,
    count: int,
) -> None:
    """Report on cards under others, as `croupier tally` reads them."""
    still = models.still(model.load(folder), fitted)
    results = models.read_counted(still, covered.scenes(photos, sources, count))
    report.title("cards under others, as croupier tally reads them, by visible fraction")
    report.table("covered by share", covered.by_share(results))
    kinds = tables.by(results, lambda r: r.scene.kind)
    by_source = tables.by(results, lambda r: r.scene.source)
    rows = [covered.summary(*one) for one in ({"all": results} | kinds | by_source).items()]
    report.table("sums of covered cards", rows)
    report.table("misread or silently missing under others", covered.misread(results))
    report.title("the same as a running table reads open hands, whose number of cards it knows")
    at_table = covered.at_the_table(model.load(folder), fitted, covered.scenes(photos, sources, count))
    report.table("open hands", at_table)
    report.title("the photographs, in which few cards lie under others, as croupier tally reads them")
    plain = models.read(still, sets.photographs([p for p in photos if p.source in sources]))
    rows = [tables.summary(*one) for one in tables.by(plain, lambda r: r.scene.source).items()]
    report.table("photographs as tally reads them", rows)


def peers(report: Report, photos: Sequence[Photo], ours: Sequence[Result], code: Path | None) -> None:
    """Report on other methods on the same photographs, and their times."""
    scored = [r for r in ours if r.scene.source not in DRAWN_ON]
    results = {"this reader": scored}
    running = recognizers.runnable(code)
    for sources in GROUPS:
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
    report.table("recognizers", recognizers.rows(running))
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
        "--model", type=Path, default=model.FOLDER, metavar="FOLDER", help="instead of the model that ships"
    )
    parser.add_argument("--only", choices=PARTS, action="append", help="only this part; may be repeated")
    parser.add_argument("--share", type=float, default=1.0, help="fraction of each composed set, 0…1")
    parser.add_argument("--recognizers", type=Path, metavar="FOLDER", help="copies of open recognizers, as OWNER/NAME")
    parser.add_argument("--out", type=Path, default=OUT, help="where text, JSON, CSV and pictures go")
    args = parser.parse_args()
    cv2.setNumThreads(1)
    try:
        photos = load() if PHOTOS.exists() else []
        if not photos:
            raise FileNotFoundError(f"no photographs in {PHOTOS}; name their folder in CROUPIER_PHOTOS")
        report = Report(args.out / args.model.name)
        measure(args.model, photos, report, args.only or PARTS, args.share, args.recognizers)
    except (FileNotFoundError, ValueError) as error:
        print(f"vision-report: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
