"""The program's process for one tab of a browser, which a page that is loaded again finds."""

from __future__ import annotations

import asyncio
import os
import re
from contextlib import suppress

from aiohttp import web
from textual_serve.app_service import AppService
from textual_serve.download_manager import DownloadManager

from tui.shell.disconnection import SERVER
from tui.shell.environment import DRIVER

_DRIVER = "tui.serving.driver:WholePacketsDriver"
_STOP_SECONDS = 5.0
"""How long the process of a closed tab may take to end before it is killed."""
_MODES = re.compile(rb"\x1b\[\?[\d;]+h|\x1b\[\?25l")
"""What sets a terminal up: the second screen, the mouse, pasting, no cursor."""
_BEGINNING = 4096
"""Bytes of the output in which the program sets its terminal up."""
_PAINTED_SECONDS = 0.2
"""Between two sizes, so that the program takes note of both."""


class Tab(AppService):
    """A program; it draws on one page at a time, or on none."""

    def __init__(self, command: str, downloads: DownloadManager) -> None:
        """Nothing is started yet."""
        super().__init__(
            command,
            write_bytes=self._write_bytes,
            write_str=self._write_str,
            close=self._close_page,
            download_manager=downloads,
        )
        self.page: web.WebSocketResponse | None = None
        """The connection of the page on which it draws."""
        self.ended = False
        self.left = 0.0
        """When its last page was gone."""
        self._modes = b""
        self._drawn = 0

    async def attach(self, page: web.WebSocketResponse) -> None:
        """Draw on a page from now on; one on which it drew before is closed."""
        before, self.page = self.page, page
        if before is not None:
            await before.close()
        await self._write_bytes(self._modes)

    async def repaint(self, width: int, height: int) -> None:
        """Draw everything again; a program does so when its terminal has another size."""
        await self.set_terminal_size(width - 1, height)
        await asyncio.sleep(_PAINTED_SECONDS)
        await self.set_terminal_size(width, height)

    async def on_data(self, payload: bytes) -> None:
        """Forward what is drawn, and remember how the terminal is set up."""
        if self._drawn < _BEGINNING:
            self._modes += b"".join(_MODES.findall(payload))
            self._drawn += len(payload)
        await super().on_data(payload)

    async def run(self) -> None:
        """Forward the program's output; close the page when the program has ended."""
        await super().run()
        self.ended = True
        await self._close_page()

    async def stop(self) -> None:
        """Ask the process to end, then kill it."""
        try:
            await asyncio.wait_for(super().stop(), _STOP_SECONDS)
        except TimeoutError:
            if self._process is not None and self._process.returncode is None:
                self._process.kill()
        if self._process is not None:
            self.stdin.close()
            await self._process.wait()

    def _build_environment(self, width: int = 80, height: int = 24) -> dict[str, str]:
        return {
            **super()._build_environment(width, height),
            DRIVER: _DRIVER,
            SERVER: str(os.getpid()),
        }

    async def _write_bytes(self, data: bytes) -> None:
        if self.page is not None and data:
            with suppress(ConnectionError):
                await self.page.send_bytes(data)

    async def _write_str(self, text: str) -> None:
        if self.page is not None:
            with suppress(ConnectionError):
                await self.page.send_str(text)

    async def _close_page(self) -> None:
        if self.page is not None:
            await self.page.close()
