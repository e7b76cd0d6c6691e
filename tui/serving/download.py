"""Sends a file that a tab exports to its browser."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from urllib.parse import quote

from aiohttp import web
from textual_serve.download_manager import DownloadManager

from core.text.language import _

STALL_SECONDS = 30.0
"""How long a browser may take over a part of a file."""


class Downloads(DownloadManager):
    """The files that tabs offer; each is fetched once."""

    def __init__(self) -> None:
        super().__init__()
        self._sent: set[str] = set()

    async def send(self, request: web.Request) -> web.StreamResponse:
        """Answer a request for a file; it ends where the browser stops reading."""
        key = request.match_info["key"]
        offered = self._active_downloads.get(key)
        if offered is None or key in self._sent:
            raise web.HTTPNotFound(text=_("There is no such download.") + "\n")
        self._sent.add(key)
        charset = f"; charset={offered.encoding}" if offered.encoding else ""
        shown = "inline" if offered.open_method == "browser" else "attachment"
        response = web.StreamResponse(
            headers={
                "Content-Type": f"{offered.mime_type}{charset}",
                "Content-Disposition": f"{shown}; filename*=UTF-8''{quote(offered.file_name)}",
            }
        )
        try:
            await response.prepare(request)
            async with aclosing(self.download(key)) as chunks:
                async for chunk in chunks:
                    await asyncio.wait_for(response.write(chunk), STALL_SECONDS)
            await asyncio.wait_for(response.write_eof(), STALL_SECONDS)
        except TimeoutError:
            if request.transport is not None:
                request.transport.abort()
        finally:
            self._active_downloads.pop(key, None)
            self._sent.discard(key)
        return response
