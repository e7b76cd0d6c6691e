"""A headless Chromium without a network, spoken to over a pipe, that tells all that happens in it.

The DevTools protocol: JSON messages, each ended by a null byte, on file descriptors 3 and 4.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_PATIENCE = 150.0
_NOWHERE = "--host-resolver-rules=MAP * ~NOTFOUND"
_QUIET = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-dev-shm-usage",
    "--proxy-server=127.0.0.1:9",
    "--remote-debugging-pipe",
)


def found() -> str | None:
    """The browser that is installed."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class LeftPageError(AssertionError):
    """The page that was asked is being left for another one."""


class Page:
    """One tab: what it is told, and what it has told."""

    def __init__(self, browser: Browser, target: str, session: str) -> None:
        self._browser = browser
        self._target = target
        self._session = session
        self.requests: list[str] = []
        self.said: list[str] = []
        """Console messages, uncaught errors, log entries and dialogues."""

    def send(self, method: str, **params: Any) -> Any:
        return self._browser.send(method, self._session, **params)

    def heard(self, method: str, params: dict[str, Any]) -> None:
        """Keep what matters of an event."""
        match method:
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Runtime.consoleAPICalled":
                texts = (str(arg.get("value", arg.get("description"))) for arg in params["args"])
                self.said.append(f"console: {' '.join(texts)}")
            case "Runtime.exceptionThrown":
                self.said.append(f"error: {json.dumps(params['exceptionDetails'])}")
            case "Log.entryAdded":
                self.said.append(f"log: {params['entry']['text']}")
            case "Page.javascriptDialogOpening":
                self.said.append(f"dialogue: {params['message']}")
                self._browser.post("Page.handleJavaScriptDialog", self._session, accept=True)

    def open(self, url: str) -> None:
        """Load an address and wait until it is loaded and painted."""
        self.requests.clear()
        self.said.clear()
        self.send("Page.navigate", url=url)
        self.until("document.readyState === 'complete'")
        self.settle()

    def close(self) -> None:
        """Close the tab."""
        self._browser.send("Target.closeTarget", targetId=self._target)

    def settle(self) -> None:
        """Wait for two pictures."""
        paints = "requestAnimationFrame(() => requestAnimationFrame(() => done(true)))"
        self.until(f"new Promise(done => {paints})")

    def js(self, expression: str) -> Any:
        """The value of an expression in the page, awaited."""
        answer = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until an expression is true of the page, or of the one that follows it."""
        end = time.monotonic() + _PATIENCE
        while not self._holds(expression):
            assert time.monotonic() < end, f"never: {expression}"
            time.sleep(0.02)

    def _holds(self, expression: str) -> bool:
        try:
            return bool(self.js(expression))
        except LeftPageError:
            return False

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press a key as a person would."""
        code = _CODES.get(key, 0)
        params = {"key": key, "code": key, "modifiers": 8 if shift else 0}
        params |= {"windowsVirtualKeyCode": code} if code else {"text": key}
        self.send("Input.dispatchKeyEvent", type="keyDown", **params)
        self.send("Input.dispatchKeyEvent", type="keyUp", **params)

    def hover(self, x: float, y: float) -> None:
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x: float, y: float) -> None:
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def prefer(self, **features: str) -> None:
        """Set media features, such as `prefers_color_scheme="dark"`."""
        listed = [{"name": n.replace("_", "-"), "value": v} for n, v in features.items()]
        self.send("Emulation.setEmulatedMedia", features=listed)

    def png(self) -> bytes:
        """A picture of the window."""
        return base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"])


_CODES = {
    "Tab": 9,
    "F8": 119,
    "Enter": 13,
    "Escape": 27,
    "PageUp": 33,
    "PageDown": 34,
    "End": 35,
    "Home": 36,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "F2": 113,
}


def quiet(page: Page) -> bool:
    """Whether nothing was said and nothing but the page itself was asked for."""
    return page.said == [] and len(page.requests) == 1 and page.requests[0].startswith("file:")


class Browser:
    """A running browser."""

    def __init__(self, to: int, back: int) -> None:
        self._to = to
        self._back = back
        self._sent = 0
        self._rest = b""
        self._pages: dict[str, Page] = {}

    def post(self, method: str, session: str | None, **params: Any) -> int:
        """Send a message without waiting for its answer."""
        self._sent += 1
        message = {"id": self._sent, "method": method, "params": params}
        message |= {"sessionId": session} if session else {}
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data) :]
        return self._sent

    def send(self, method: str, session: str | None = None, **params: Any) -> Any:
        """Send a message; what happens until its answer comes goes to its page."""
        number = self.post(method, session, **params)
        end = time.monotonic() + _PATIENCE
        while True:
            message = self._next(end)
            if message.get("id") == number:
                if "navigated" in message.get("error", {}).get("message", ""):
                    raise LeftPageError(method, message["error"])
                assert "error" not in message, (method, message["error"])
                return message["result"]
            page = self._pages.get(message.get("sessionId", ""))
            if page is not None and "method" in message:
                page.heard(message["method"], message["params"])

    def _next(self, end: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._back], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            more = os.read(self._back, 2**16)
            assert more, "the browser is gone"
            self._rest += more
        line, self._rest = self._rest.split(b"\0", 1)
        message: dict[str, Any] = json.loads(line)
        return message

    def close(self) -> None:
        """Tell it to end, and wait until it has closed its pipe, which it may do without a word."""
        self.post("Browser.close", None)
        end = time.monotonic() + _PATIENCE
        while select.select([self._back], [], [], max(0.0, end - time.monotonic()))[0]:
            if not os.read(self._back, 2**16):
                break

    def page(self, width: int = 1200, height: int = 900) -> Page:
        """A new tab that tells everything from its beginning."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self._pages[session] = Page(self, target, session)
        for domain in ("Network", "Runtime", "Log", "Page"):
            page.send(f"{domain}.enable")
        page.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        return page


@contextmanager
def running(profile: Path, reaches: str = "") -> Iterator[Browser]:
    """Start the browser with an empty profile; it ends with the block.

    `reaches` is the one address that it is let go to.
    """
    path = found()
    assert path is not None
    browser_in, to = os.pipe()
    back, browser_out = os.pipe()
    # The shell puts the pipes where the browser looks for them; until then they are elsewhere.
    ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (browser_in, browser_out)]
    for end in (browser_in, browser_out):
        os.close(end)
    shell = f'exec "$@" 3<&{ends[0]} 4>&{ends[1]}'
    rules = f"{_NOWHERE}, EXCLUDE {reaches}" if reaches else _NOWHERE
    command = ["bash", "-c", shell, "bash", path, *_QUIET, rules, f"--user-data-dir={profile}"]
    process = subprocess.Popen(
        [*command, "about:blank"],
        pass_fds=ends,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"HOME": str(profile)},
    )
    for end in ends:
        os.close(end)
    browser = Browser(to, back)
    try:
        yield browser
        browser.close()
    finally:
        process.kill()
        process.wait()
        os.close(to)
        os.close(back)
