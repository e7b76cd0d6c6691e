"""The web server: textual-serve's way of driving an app, with access control and our own page."""

from __future__ import annotations

import asyncio
import json
import logging
import shlex
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path

import aiohttp_jinja2
import jinja2
from aiohttp import WSMsgType, web
from textual_serve import server as textual_server

from core.system.signals import on_end
from core.text.addresses import is_loopback
from core.text.errors import SettingError
from core.text.language import _, spoken
from tui.serving.connection import accept
from tui.serving.download import Downloads
from tui.serving.gate import Gate, put_headers
from tui.serving.plain import PlainPages
from tui.serving.tab import Tab
from tui.shell.terminal_size import TerminalSize, held_within_limits

MOST_TABS = 16
"""Each tab has a process and a model of its own."""
MOST_MESSAGE = 4 * 2**20
"""Most bytes of a message of a page: a text may be pasted."""
KEPT_SECONDS = 15.0
"""How long a program waits for its page to be loaded again."""
_STOP_SECONDS = 5.0
"""How long open answers may take when the server ends."""
_FONT_SIZES = range(8, 49)
_BUTTONS = (
    ("Escape", "esc"),
    ("Tab", "tab"),
    ("ArrowLeft", "←"),
    ("ArrowUp", "↑"),
    ("ArrowDown", "↓"),
    ("ArrowRight", "→"),
    ("Enter", "⏎"),
    (" ", "␣"),
    ("r", "r"),
    ("x", "x"),
    ("?", "?"),
)
"""The keys that a phone gets on its screen, by their names in a browser."""
_HERE = Path(__file__).parent
_START = "from tui.cli.start import main; main()"


class BrowserServer(textual_server.Server):
    """Serves the program to browsers, a process for each tab."""

    def __init__(self, words: Sequence[str], listening: socket.socket, plain: PlainPages) -> None:
        """Serve at a bound socket.

        Args:
            words: the arguments of the program.
            listening: the socket.
            plain: the pages for screen readers.
        """
        host, port = listening.getsockname()[:2]
        # Without -P Python would import a folder called `core` in the working directory.
        command = shlex.join([sys.executable, "-P", "-c", _START, *words])
        # `exec`, so that the process is the program itself and not a shell.
        super().__init__(f"exec {command}", host, port, title="commonsense-tui")
        self._listening = listening
        self._downloads = Downloads()
        self.download_manager = self._downloads
        self.gate = Gate(host, port)
        self._plain = plain
        self._tabs: set[Tab] = set()
        self._named: dict[str, Tab] = {}
        """Those of pages that name their tab, by that name."""
        self._over = asyncio.Event()

    @property
    def address(self) -> str:
        """The address to open, with the token."""
        host = host_to_open(self.host)
        host = f"[{host}]" if ":" in host else host
        return f"http://{host}:{self.port}/?token={self.gate.token}"

    async def run(self, ready: Callable[[], object]) -> None:
        """Serve until a signal ends the process; call `ready` once connections are accepted."""
        runner = web.AppRunner(
            await self._make_app(), access_log=None, shutdown_timeout=_STOP_SECONDS
        )
        await runner.setup()
        on_end(asyncio.get_running_loop(), self._over.set)
        listener = await accept(runner, self._listening)
        try:
            ready()
            await self._over.wait()
        finally:
            listener.close()
            await asyncio.gather(self._plain.close(), *(tab.stop() for tab in self._tabs))
            await runner.cleanup()

    async def _make_app(self) -> web.Application:
        app = web.Application(middlewares=[self.gate.check])
        app.on_response_prepare.append(put_headers)
        aiohttp_jinja2.setup(app, loader=jinja2.FileSystemLoader(_HERE), autoescape=True)
        app.add_routes(
            [
                web.get("/", self.handle_index),
                web.get("/ws", self.handle_websocket),
                web.get("/ws/{tab:[0-9a-f]{32}}", self.handle_websocket),
                web.get("/download/{key}", self._downloads.send),
                web.get("/look/page.{kind:css|js}", self._style_or_script),
                *self._plain.routes(),
                web.static("/static", self.statics_path),
            ]
        )
        return app

    async def handle_index(self, request: web.Request) -> web.Response:
        """The page that draws the terminal, or with `?plain=1` the pages without one."""
        if request.query.get("plain") == "1":
            raise web.HTTPFound("/plain")
        size = textual_server.to_int(request.query.get("fontsize", ""), 16)
        scheme = "wss" if request.secure else "ws"
        websocket = f"{scheme}://{request.host}/ws"
        context = {
            "title": self.title,
            "websocket": websocket,
            "font_size": min(max(size, _FONT_SIZES.start), _FONT_SIZES.stop - 1),
            "language": spoken(),
            "opening": _("Opening…"),
            "keys": _("Keys"),
            "buttons": _BUTTONS,
            "ended": _("This tab has ended."),
            "again": _("Open the program again"),
            "otherwise": _(
                "If that fails, the server has stopped, or as many tabs are open as it lets in at "
                "a time."
            ),
        }
        response = aiohttp_jinja2.render_template("page.html", request, context)
        response.headers["Content-Security-Policy"] = (
            "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
            f"font-src 'self'; img-src 'self' data:; connect-src 'self' {websocket} {websocket}/; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        return response

    async def _style_or_script(self, request: web.Request) -> web.FileResponse:
        return web.FileResponse(_HERE / f"page.{request.match_info['kind']}")

    async def handle_websocket(self, request: web.Request) -> web.WebSocketResponse:
        """Run the program for one page, until either ends.

        A page that names its tab finds the program again within `KEPT_SECONDS`: as it was, with
        item, setting, answers and theme.
        """
        page = web.WebSocketResponse(heartbeat=60, max_msg_size=MOST_MESSAGE)
        await page.prepare(request)
        size = _held(_asked(request, "width", 80), _asked(request, "height", 24))
        name = request.match_info.get("tab", "")
        tab = self._named.get(name)
        if tab is None and len(self._tabs) >= MOST_TABS:
            await page.close()
            return page
        kept = tab is not None
        if tab is None:
            tab = Tab(self.command, self.download_manager)
            self._tabs.add(tab)
        try:
            await tab.attach(page)
            if kept:
                await tab.repaint(*size)
            else:
                await tab.start(*size)
                if name:
                    self._named[name] = tab
                    kept = True
            async for message in page:
                if message.type is not WSMsgType.TEXT or not await _handle_message(
                    tab, message.data
                ):
                    kept = False
                    break
        except ConnectionError:
            # The page is gone.
            pass
        except OSError as error:
            why = error.strerror
            logging.error(_("The program cannot be started for a tab: {why}.", why=why))
        finally:
            if tab.page is page:
                tab.page = None
                await self._leave(tab, name if kept else "")
            await page.close()
        return page

    async def _leave(self, tab: Tab, name: str) -> None:
        """End a program whose page is gone, unless the page comes back in time."""
        left = tab.left = asyncio.get_running_loop().time()
        if name and not tab.ended:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), KEPT_SECONDS)
        if tab.page is None and tab.left == left and tab in self._tabs:
            self._tabs.discard(tab)
            self._named = {other: each for other, each in self._named.items() if each is not tab}
            await tab.stop()


async def _handle_message(tab: Tab, text: str) -> bool:
    """Handle a message of the page; return False for one that the page does not send."""
    try:
        message = json.loads(text)
    except (ValueError, RecursionError):
        return False
    match message:
        case ["stdin", str(typed)]:
            await tab.send_bytes(typed.encode("utf-8", "replace"))
        case ["resize", {"width": int(width), "height": int(height)}]:
            await tab.set_terminal_size(*_held(width, height))
        case ["ping", str() | int() | float() as sent]:
            await tab.remote_write_str(json.dumps(["pong", sent]))
        case ["focus", *_]:
            await tab.focus()
        case ["blur", *_]:
            await tab.blur()
        case _:
            return False
    return True


def _asked(request: web.Request, side: str, otherwise: int) -> int:
    """The columns or lines that a page asks for."""
    return textual_server.to_int(request.query.get(side, ""), otherwise)


def _held(columns: int, lines: int) -> TerminalSize:
    """A size within the limits, and large enough to draw on."""
    return held_within_limits(max(columns, 10), max(lines, 10))


def listen(host: str, port: int) -> socket.socket:
    """Bind a socket; raises `SettingError`."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except UnicodeError as error:
        raise SettingError(
            _("No machine can be called {host}.", host=host), where="--host"
        ) from error
    except OSError as error:
        raise SettingError(
            f"The program cannot be served at {host}, port {port}: {error.strerror or error}.",
            where="--port" if is_loopback(host) else "--host",
            hint="Choose another port, as --port 8001; --port 0 takes any that is free.",
        ) from error


def host_to_open(host: str) -> str:
    """The host of the address to open: that of this machine in its network if it means all.

    Nothing is sent to find it out.
    """
    try:
        everywhere = ip_address(host)
    except ValueError:
        return host
    if not everywhere.is_unspecified:
        return host
    # Addresses of documents: connecting a datagram socket only chooses the way out.
    family, far = (
        (socket.AF_INET, "192.0.2.1")
        if everywhere.version == 4
        else (socket.AF_INET6, "2001:db8::1")
    )
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((far, 9))
            return str(probe.getsockname()[0])
    except OSError:
        return socket.gethostname()


def log_in_single_lines() -> None:
    """Log each error in one line, without a traceback."""
    handler = logging.StreamHandler()
    handler.setFormatter(_OneLine("%(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])


class _OneLine(logging.Formatter):
    def formatException(self, ei: object) -> str:
        return ""
