"""How long a gallery takes, and how large it is, for each bundled collection.

Prints the items, the processor time and the size, both also for 500 items. Targets: under a minute
and under 50 MB for 500 items.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from core.contract import registry
from core.exchange.gallery.cards import GallerySource
from core.exchange.gallery.gallery import write_gallery
from core.runs.questions import QuestionSource

ITEMS = 500


def main() -> None:
    """Write a gallery of at most 500 items of each benchmark's bundled collection."""
    for name in ("accord", "com2", "abspyramid", "gita"):
        benchmark = registry.load(name)
        collection = benchmark.open(benchmark.samples())
        source = GallerySource(QuestionSource(benchmark, collection, limit=ITEMS))
        with tempfile.TemporaryDirectory() as folder:
            started, processor = time.perf_counter(), time.process_time()
            path, _missing = write_gallery(source, Path(folder) / "gallery")
            seconds = time.perf_counter() - started
            used = time.process_time() - processor
            files = [file for file in path.rglob("*") if file.is_file()]
            megabytes = sum(file.stat().st_size for file in files) / 1e6
        items = len(source.questions.positions)
        print(
            f"{name:12} {items:4} items {used:6.1f} s of the processor, {seconds:6.1f} s in all, "
            f"{megabytes:5.1f} MB; 500 items: {used * ITEMS / items:5.1f} s (target 60), "
            f"{megabytes * ITEMS / items:5.1f} MB (target 50)"
        )


if __name__ == "__main__":
    main()
