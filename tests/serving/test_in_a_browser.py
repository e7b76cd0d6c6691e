"""The program in a real browser without a network: opens, obeys keys, tab by tab."""

from __future__ import annotations

import base64
import time
from pathlib import Path

import pyte
import pytest

from tests.exchange.exporters import chromium
from tests.serving.conftest import Served, children

RECORD = """
window.received = [];
const Real = window.WebSocket;
window.WebSocket = class extends Real {
  constructor(...given) {
    super(...given);
    this.addEventListener('message', event => window.received.push(event.data));
  }
};
"""
TAKE = """Promise.all(window.received.splice(0).filter(data => typeof data !== 'string')
  .map(data => new Response(data).arrayBuffer())).then(all => {
    let text = '';
    for (const one of all)
      for (const byte of new Uint8Array(one)) text += String.fromCharCode(byte);
    return btoa(text);
  })"""


class Tab:
    """A tab, and what its terminal shows."""

    def __init__(self, browser: chromium.Browser, address: str) -> None:
        self.page = browser.page(1200, 900)
        self.page.send("Page.addScriptToEvaluateOnNewDocument", source=RECORD)
        self._screen = pyte.Screen(400, 200)
        self._stream = pyte.ByteStream(self._screen)
        self.page.open(address)

    def text(self) -> str:
        self._stream.feed(base64.b64decode(self.page.js(TAKE)))
        return "\n".join(line.rstrip() for line in self._screen.display if line.strip())

    def until(self, words: str) -> None:
        end = time.monotonic() + 150
        while words not in (text := self.text()):
            assert time.monotonic() < end, text
            time.sleep(0.05)

    def load_again(self) -> None:
        """Load the page anew; its terminal is empty then."""
        self.page.send("Page.reload")
        self._screen.reset()

    def press(self, keys: str) -> None:
        for key in keys:
            self.page.press(key)


def test_a_ladder_runs_in_a_browser(served: Served, browser: chromium.Browser) -> None:
    tab = Tab(browser, served.address)
    tab.until("space asks the model")
    assert served.token not in str(tab.page.js("location.href"))
    tab.press("j")
    tab.until("0-O0 · Irene")
    tab.until("space asks the model")
    tab.press(" ")
    tab.until("space asks again")
    own = (served.url, served.url.replace("http", "ws"), "data:")
    assert [url for url in tab.page.requests if not url.startswith(own)] == []
    # A browser without a graphics card says so, and the terminal what took long.
    expected = ("WebGL", "ping=", "allotted deadline")
    assert [said for said in tab.page.said if not any(part in said for part in expected)] == []


def test_a_phone_has_keys_on_its_screen(served: Served, browser: chromium.Browser) -> None:
    tab = Tab(browser, served.address)
    tab.page.send("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=1)
    tab.page.send(
        "Emulation.setDeviceMetricsOverride",
        width=390,
        height=844,
        deviceScaleFactor=1,
        mobile=True,
    )
    tab.until("Irene")
    shown = "getComputedStyle(document.querySelector('.keys')).display"
    tab.page.until(f"{shown} === 'flex'")
    bottom = "document.getElementById('terminal').getBoundingClientRect().bottom"
    top = "document.querySelector('.keys').getBoundingClientRect().top"
    tab.page.until(f"{bottom} <= {top} + 1")
    tab.page.js("document.querySelector('[data-key=\"?\"]').click()")
    tab.until("esc")
    tab.until("Help")
    tab.page.js("document.querySelector('[data-key=Escape]').click()")


@pytest.mark.slow
def test_a_page_that_is_loaded_again_goes_on_where_it_was(
    own: Served, browser: chromium.Browser
) -> None:
    tab = Tab(browser, own.address)
    tab.until("space asks the model")
    tab.press("j")
    tab.until("0-O0 · Irene")
    tab.press(" ")
    tab.until("space asks again")
    tab.press("v")
    tab.until("─ 0 · Irene")
    tab.load_again()
    tab.until("─ 0 · Irene")
    tab.press("vv")
    tab.until("─ 0-O0 · Irene")
    tab.until("space asks again")
    tab.page.send("Page.navigate", url="about:blank")
    programs = children(own.process.pid)
    assert len(programs) == 1
    end = time.monotonic() + 150
    while children(own.process.pid):
        assert time.monotonic() < end
        time.sleep(0.1)


def test_two_tabs_do_not_disturb_each_other(served: Served, browser: chromium.Browser) -> None:
    one, other = Tab(browser, served.address), Tab(browser, served.url)
    for tab in (one, other):
        tab.until("space asks the model")
    one.press("j")
    one.until("0-O0 · Irene")
    assert "0-O0 · Irene" not in other.text()
    one.press("q")
    one.page.until("document.body.classList.contains('-closed')")
    assert "This tab has ended" in str(one.page.js("document.body.innerText"))
    other.press("j")
    other.until("space asks the model")
    other.press(" ")
    other.until("space asks again")


def test_an_export_is_downloaded(served: Served, browser: chromium.Browser, tmp_path: Path) -> None:
    browser.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    tab = Tab(browser, served.address)
    tab.until("space asks the model")
    tab.press("j")
    tab.until("0-O0 · Irene")
    tab.press("e")
    tab.until("enter downloads")
    assert "tab to the file" not in tab.text()
    tab.page.press("Enter")
    end = time.monotonic() + 150
    while not (files := list(tmp_path.glob("*.html"))):
        assert time.monotonic() < end, tab.text()
        time.sleep(0.05)
    assert files[0].name == "gita-0-O0.html"
    assert "La torcia ha illuminato" in files[0].read_text(encoding="utf-8")


def test_a_picture_of_the_screen_is_downloaded(
    served: Served, browser: chromium.Browser, tmp_path: Path
) -> None:
    browser.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    tab = Tab(browser, served.address)
    tab.until("space asks the model")
    tab.page.press("F2")
    tab.until("enter downloads")
    assert "tab to the file" not in tab.text()
    tab.press("j")
    tab.page.press("Enter")
    end = time.monotonic() + 150
    while not (files := list(tmp_path.glob("screen-*.txt"))):
        assert time.monotonic() < end, tab.text()
        time.sleep(0.05)
    said = files[0].read_text(encoding="utf-8")
    assert "Ladder" in said
    assert "downloads" not in said


def test_the_letters_are_as_large_as_asked(served: Served, browser: chromium.Browser) -> None:
    tab = Tab(browser, f"{served.address}&fontsize=32")
    tab.until("Items")
    assert tab.page.js("document.getElementById('terminal').dataset.fontSize") == "32"
    assert tab.page.js("location.search") == "?fontsize=32"


def test_the_letters_come_from_here(served: Served, browser: chromium.Browser) -> None:
    tab = Tab(browser, served.address)
    tab.until("Items")
    fonts = [url for url in tab.page.requests if url.endswith(".ttf")]
    assert fonts
    assert all(url.startswith(served.url) for url in fonts)
