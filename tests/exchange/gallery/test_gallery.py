"""A gallery in a real browser, from a disk: complete, offline, filtered, and whole or not there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from core.contract import registry
from core.contract.collection import About, Entry
from core.contract.question import Verdict
from core.contract.view import Role
from core.exchange.exporters.document import ExportError, FileExistsAlreadyError
from core.exchange.gallery import gallery as gallery_module
from core.exchange.gallery.cards import Card, GallerySource, RunOfItems
from core.exchange.gallery.gallery import write_gallery
from core.exchange.gallery.index_page import index_page
from core.runs.questions import QuestionSource
from core.runs.store import Store
from tests.cli.support import ok, run
from tests.exchange.exporters import chromium
from tests.exchange.exporters.chromium import Page
from tests.exchange.exporters.documents import HOSTILE, SINKS

ITEMS = 9


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the bundled model over six of the items."""
    path = tmp_path_factory.mktemp("store") / "runs.sqlite"
    ok("evaluate", "gita", "--model", "demo", "--limit", "6", "--store", path)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, store: Path) -> Path:
    """A gallery of nine stories with the answers of that run."""
    path = tmp_path_factory.mktemp("made") / "stories"
    gita = registry.load("gita")
    stories = gita.open(gita.samples())
    with Store(store, create=False) as opened:
        [recorded] = opened.runs()
        answers = RunOfItems.of(recorded, opened.verdicts(recorded.id))
    write_gallery(GallerySource(QuestionSource(gita, stories, limit=ITEMS), answers), path)
    return path


@pytest.fixture
def page(browser: chromium.Browser) -> Iterator[Page]:
    opened = browser.page()
    yield opened
    opened.close()


def alone(page: Page, folder: Path) -> bool:
    """Whether nothing was said, and nothing asked for that is not in the folder."""
    inside = folder.as_uri() + "/"
    return page.said == [] and all(url.startswith(inside) for url in page.requests)


class References(HTMLParser):
    """The addresses that a page names."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in {"src", "href", "action"}]


def test_every_address_is_a_file_of_the_folder_and_the_library_is_there_once(folder: Path) -> None:
    pages = [folder / "index.html", *sorted((folder / "items").iterdir())]
    assert len(pages) == 1 + ITEMS
    for each in pages:
        references = References()
        references.feed(each.read_text(encoding="utf-8"))
        assert references.found
        for address in references.found:
            target = (each.parent / address).resolve()
            assert target.is_file(), address
            assert target.is_relative_to(folder)
        assert each.stat().st_size < 150_000
    libraries = [path for path in folder.rglob("*") if path.stat().st_size > 400_000]
    assert [path.name for path in libraries if path.is_file()] == ["vis-network.min.js"]


def test_a_click_on_a_card_opens_the_item_with_its_graph(page: Page, folder: Path) -> None:
    page.open((folder / "index.html").as_uri())
    assert page.js("document.querySelectorAll('#cards .thumb svg').length") == ITEMS
    assert alone(page, folder)
    # A moment later, since the answer to a click that leaves the page may never come.
    page.js("void setTimeout(() => document.querySelectorAll('#cards a')[1].click())")
    page.until("document.getElementById('net') !== null && document.readyState === 'complete'")
    page.settle()
    assert page.js("document.querySelector('#net canvas').width") > 100
    assert "0-O0" in page.js("document.querySelector('main').innerText")
    page.js("document.querySelectorAll('#states button')[1].click()")
    assert "Variant: plausible" in page.js("document.querySelector('main').innerText")
    words = page.js("[...document.querySelectorAll('nav a')].map(a => a.innerText)")
    assert words == ["All items", "Previous", "Next"]
    assert alone(page, folder)


COUNT = "document.getElementById('count').textContent"
SHOWN = (
    "[...document.querySelectorAll('#cards li')].filter(c => !c.hidden)"
    # The text of a card that is out of sight is not rendered.
    ".map(c => c.querySelector('.muted').textContent.trim())"
)
FILTER = """((name, value) => {
  const label = [...document.querySelectorAll('label')].find(l => l.innerText.startsWith(name));
  const select = label.querySelector('select');
  const option = [...select.options].find(o => o.text.startsWith(value));
  select.value = option.value;
  select.dispatchEvent(new Event('input', { bubbles: true }));
  return option.text;
})"""


def test_filters_show_what_is_known_of_the_items(page: Page, folder: Path) -> None:
    page.open((folder / "index.html").as_uri())
    assert page.js(f"{FILTER}('kind', 'order')") == "order (3)"
    assert page.js(COUNT) == "3 of 9 items"
    assert page.js(SHOWN) == ["0-O0, order", "1-O0, order", "2-O0, order"]
    page.js("(f => { f.value = '1-O'; f.dispatchEvent(new Event('input')); })"
            "(document.getElementById('find'))")  # fmt: skip
    assert page.js(SHOWN) == ["1-O0, order"]
    address = page.js("location.href")
    page.open("about:blank")
    page.open(address)
    assert page.js(SHOWN) == ["1-O0, order"]
    page.js("document.getElementById('all').click()")
    assert page.js(COUNT) == "9 items"
    # The run asked about six of the nine.
    assert page.js(f"{FILTER}('answers of the run', 'not asked')") == "not asked (3)"
    assert page.js(SHOWN) == ["2, plausible", "2-O0, order", "2-C0, cloze"]
    assert alone(page, folder)


def test_every_item_has_the_answers_of_the_run(folder: Path, store: Path) -> None:
    with Store(store, create=False) as opened:
        [recorded] = opened.runs()
        verdicts = opened.verdicts(recorded.id)
    by_item: dict[str, list[Verdict]] = {}
    for verdict in verdicts:
        by_item.setdefault(verdict.item, []).append(verdict)
    assert len(by_item) == 6
    for each in (folder / "items").iterdir():
        text = re.sub("<[^>]*>", "", each.read_text(encoding="utf-8"))
        answers = text.split("The model&#39;s answers")[1].split("Nodes\n")[0]
        known = by_item.get(each.stem.partition("-")[2], [])
        right = sum(verdict.right is True for verdict in known)
        wrong = sum(verdict.right is False for verdict in known)
        assert (answers.count("✓ right"), answers.count("✗ wrong")) == (right, wrong), each
        assert ("Not asked." in answers) == (not known)
        assert recorded.id in answers


def test_hostile_texts_run_no_script_in_an_index(page: Page, folder: Path, tmp_path: Path) -> None:
    cards = [
        Card(
            Entry(text, text, text),
            "0001-0.html",
            {text: HOSTILE[i % 2], HOSTILE[3]: text, "kind": HOSTILE[i % 3]},
            text,
            Role.BAD,
            "",
        )
        for i, text in enumerate(HOSTILE)
    ]
    about = About(HOSTILE[0], HOSTILE[1], HOSTILE[2], HOSTILE, HOSTILE[4])
    (tmp_path / "shared").mkdir()
    for file in (folder / "shared").iterdir():
        (tmp_path / "shared" / file.name).write_bytes(file.read_bytes())
    index = tmp_path / "index.html"
    index.write_text(
        index_page(HOSTILE[5], about, cards, HOSTILE, None), encoding="utf-8", errors="replace"
    )
    page.open(index.as_uri())
    page.js(f"(f => {{ f.value = {HOSTILE[4]!r}; f.dispatchEvent(new Event('input')); }})"
            "(document.getElementById('find'))")  # fmt: skip
    page.js("new Promise(r => setTimeout(r, 200))")
    assert page.js("window.__ran") is None
    own = SINKS.replace(",a,", ",a:not([href^='items/']),").replace(
        ",link,", ",link:not([href='shared/index.css']),"
    )
    assert page.js(f'document.querySelectorAll("{own}").length') == 0
    assert alone(page, tmp_path), page.said + page.requests


INJECTED = "<script>window.__ran = 1</script><img src='data:,x' onerror='window.__ran = 1'>"


def test_the_policy_stops_a_script_that_got_into_a_page(
    page: Page, folder: Path, tmp_path: Path
) -> None:
    [item, *_] = sorted((folder / "items").iterdir())
    for name, text in {"index.html": (folder / "index.html"), item.name: item}.items():
        file = tmp_path / name
        changed = text.read_text(encoding="utf-8").replace("</main>", INJECTED + "</main>")
        file.write_text(changed, encoding="utf-8")
        page.open(file.as_uri())
        page.js("new Promise(r => setTimeout(r, 150))")
        assert page.js("window.__ran") is None
        assert any("Content Security Policy" in line for line in page.said)


def test_a_gallery_is_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gita = registry.load("gita")
    source = GallerySource(QuestionSource(gita, gita.open(gita.samples()), limit=2))

    def stop(done: int, total: int) -> None:
        if done == total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_gallery(source, tmp_path / "a", on_item=stop)
    assert list(tmp_path.iterdir()) == []
    write_gallery(source, tmp_path / "a")
    before = {path: path.read_bytes() for path in (tmp_path / "a").rglob("*") if path.is_file()}
    with pytest.raises(FileExistsAlreadyError, match="gallery"):
        write_gallery(source, tmp_path / "a")
    with pytest.raises(KeyboardInterrupt):
        write_gallery(source, tmp_path / "a", force=True, on_item=stop)
    after = {path: path.read_bytes() for path in (tmp_path / "a").rglob("*") if path.is_file()}
    assert after == before
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    write_gallery(source, tmp_path / "a", force=True)
    # The same items give the same bytes; what is no gallery is never overwritten.
    assert {path: path.read_bytes() for path in before} == before
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "thesis.txt").write_text("mine")
    with pytest.raises(FileExistsAlreadyError, match="not empty"):
        write_gallery(source, tmp_path / "own", force=True)
    monkeypatch.setattr(gallery_module, "MOST_ITEMS", 1)
    with pytest.raises(ExportError, match="too large"):
        write_gallery(source, tmp_path / "b")


def test_the_command_writes_a_gallery_of_a_run(tmp_path: Path, store: Path) -> None:
    to = tmp_path / "g"
    words = ("export", "gallery", "gita", "--to", to, "--store", store, "--run", "gita-demo-1")
    assert ok(*words, "--limit", "2").out.strip() == str(to)
    index = (to / "index.html").read_text(encoding="utf-8")
    assert "run gita-demo-1" in index
    assert "Demonstration model: not a result." in index
    assert len(list((to / "items").iterdir())) == 2


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("gita", "0"), "ID"),
        (("gita", "--run", "nothing-1"), "nothing-1"),
        (("com2", "--run", "gita-demo-1"), "gita"),
        (("gita", "--run", "gita-demo-1", "--set", "variant=order"), "--set"),
        (("gita", "--shots", "2"), "--shots"),
        (("gita", "--model", "demo"), "--model"),
    ],
)
def test_a_mistake_is_one_message_and_no_folder(
    tmp_path: Path, store: Path, words: tuple[str, ...], named: str
) -> None:
    refused = run("export", "gallery", *words, "--to", tmp_path / "g", "--store", store)
    assert refused.code == 2
    assert named in refused.err
    assert "Traceback" not in refused.err
    assert list(tmp_path.iterdir()) == []
