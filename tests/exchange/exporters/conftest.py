"""Opens exported files in the browser of the tests; without one they skip."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from core.exchange.exporters.document import Document
from core.exchange.exporters.formats import FORMATS, export
from tests.exchange.exporters import chromium
from tests.exchange.exporters.lesson_pages import Shows


@pytest.fixture
def page(browser: chromium.Browser) -> Iterator[chromium.Page]:
    """A new tab, which is closed after its test."""
    opened = browser.page()
    yield opened
    opened.close()


Opens = Callable[..., chromium.Page]


@pytest.fixture
def opens(page: chromium.Page, tmp_path: Path) -> Opens:
    """Exports a document and opens what was written, changed by `change` before."""

    def open_it(
        document: Document, name: str = "html", change: Callable[[str], str] = lambda text: text
    ) -> chromium.Page:
        file = tmp_path / f"view{FORMATS[name].suffix}"
        text = export(name, document).decode("utf-8")
        file.write_bytes(change(text).encode("utf-8"))
        page.open(file.as_uri())
        return page

    return open_it


@pytest.fixture
def shows(page: chromium.Page) -> Shows:
    """Opens a file."""

    def show(file: Path) -> chromium.Page:
        page.open(file.as_uri())
        return page

    return show
