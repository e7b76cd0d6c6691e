"""Writes a gallery: a folder of pages that works offline from a disk, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.exchange.exporters.document import Document, ExportError
from core.exchange.exporters.folders import whole_folder
from core.exchange.exporters.page import (
    PageInFolder,
    SharedFiles,
    page,
    page_script,
    page_style,
    vis_network,
)
from core.exchange.exporters.self_contained import package_file
from core.exchange.gallery.cards import Card, GallerySource
from core.exchange.gallery.index_page import index_page, index_script, index_style
from core.files import paths
from core.text.language import _

MOST_ITEMS = 5_000
_MARK = "gallery.json"
_SHARED = SharedFiles(
    "../shared/page.css",
    ("../shared/vis-network.min.js", "../shared/page.js"),
    ("../shared/states.js",),
)


def write_gallery(
    source: GallerySource,
    path: Path,
    *,
    force: bool = False,
    on_item: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[Path, list[str]]:
    """Write the items of a source to a folder; return it, and why some items have no page.

    `on_item` is told how many of how many items are written. Raises `FileExistsAlreadyError` for a
    folder that is there, unless it is a gallery and `force` is true, and `ExportError` where there
    are too many items or none can be shown, and where the folder cannot be written.
    """
    questions = source.questions
    total = len(questions.positions)
    if total > MOST_ITEMS:
        raise ExportError(
            f"A gallery of {total:,} items is too large; {MOST_ITEMS:,} is the most.",
            hint="Show only the first N items with --limit N.",
        )
    with whole_folder(path, _MARK, "a gallery", force=force) as folder:
        shared, pages = folder / "shared", folder / "items"
        shared.mkdir()
        pages.mkdir()
        for name, text in {
            "page.css": page_style(),
            "index.css": index_style(),
            "vis-network.min.js": vis_network(),
            "page.js": page_script(),
            "states.js": package_file("page.js"),
            "index.js": index_script(),
        }.items():
            _write(shared / name, text)
        cards, missing = _write_pages(source, pages, total, on_item)
        if not cards:
            raise ExportError("None of the items can be shown.", hint=missing[0] if missing else "")
        about = questions.collection.about
        index = index_page(questions.benchmark.title, about, cards, missing, source.run)
        _write(folder / "index.html", index)
        _write(folder / _MARK, '{"version": 1}\n')
    return paths.destination(path), missing


def _write_pages(
    source: GallerySource, pages: Path, total: int, on_item: Callable[[int, int], None]
) -> tuple[list[Card], list[str]]:
    """Write the page of each item; return the cards, and why some items have none."""
    cards: list[Card] = []
    missing: list[str] = []
    before: tuple[Card, Document] | None = None

    def write(shown: tuple[Card, Document], after: Card | None) -> None:
        links = [(_("All items"), "../index.html")]
        if cards:
            links.append((_("Previous"), cards[-1].file))
        if after is not None:
            links.append((_("Next"), after.file))
        card, document = shown
        _write(pages / card.file, page(document, PageInFolder(_SHARED, tuple(links))))
        cards.append(card)

    for done, shown in enumerate(source, 1):
        if isinstance(shown, str):
            missing.append(shown)
        else:
            if before is not None:
                write(before, shown[0])
            before = shown
        on_item(done, total)
    if before is not None:
        write(before, None)
    return cards, missing


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", errors="replace", newline="\n")
