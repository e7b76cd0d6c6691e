"""The room: a page for phones, on which the audience of a running lesson votes.

Whoever reaches it can vote and nothing else: it runs no program, opens no file that is named to it
and keeps nothing when the lesson ends. The lesson runs in another terminal or tab; the room follows
the file of its progress, and writes the counts beside it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryFile
from urllib.parse import parse_qsl

import jinja2
from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from core.files.atomic import make_private_folder
from core.files.regular_file import open_to_append
from core.layout.qr_code import qr_svg
from core.lessons import progress_file
from core.lessons.ballot import Ballot, BallotBox, ballot_of
from core.lessons.progress_file import Progress
from core.lessons.votes_file import Votes, remove_votes, touch_votes, write_votes
from core.system.file_lock import Lock
from core.system.signals import on_end
from core.text.errors import SettingError
from core.text.escaping import escape_control_characters
from core.text.language import _, spoken
from tui.serving.connection import REQUEST_SECONDS, accept, allowed
from tui.serving.gate import PAGE_POLICY, Gate, put_headers

_MOMENT = 0.4
"""Seconds between two looks at the lesson, and between two writings of the counts."""
_MOST_BYTES = 2000
"""Most bytes of a vote."""
_MOST_FIELDS = 10
MOST_CONNECTIONS = 512
"""Most connections at a time: a phone that loads the page may have several."""
_CROWDED = 0.5
"""The share of them from which on none is kept for the next request of the same phone."""
_HERE = Path(__file__).parent
_COUNTS = rb'\{"lesson": '
"""What a file of counts begins with."""


class RoomServer:
    """Serves the page for phones, and counts their votes."""

    def __init__(self, listening: socket.socket, shown_host: str, keep: Path | None = None) -> None:
        """Serve at a bound socket.

        Args:
            listening: the socket.
            shown_host: the host of the address to open.
            keep: the file of JSON lines to which the counts of a lesson are added at its end; they
                are forgotten when left out.

        Raises `SettingError` where nothing can be added to that file.
        """
        if keep is not None:
            _check_kept(keep)
        host, port = listening.getsockname()[:2]
        self._listening = listening
        self.gate = Gate(host, port)
        self._cookie = f"commonsense-tui-voter-{port}"
        name = f"[{shown_host}]" if ":" in shown_host else shown_host
        self.address = f"http://{name}:{port}/?token={self.gate.token}"
        self._code = qr_svg(self.address)
        loader = jinja2.FileSystemLoader(_HERE)
        self._page = jinja2.Environment(loader=loader, autoescape=True).get_template("room.html")
        self._keep = keep
        self._most = allowed(MOST_CONNECTIONS)
        self._progress: Path | None = None
        self._title = ""
        self.box = BallotBox()

    async def run(self, ready: Callable[[], object]) -> None:
        """Serve until a signal ends the process; call `ready` once connections are accepted.

        Raises `SettingError` where another room is open.
        """
        ended = asyncio.Event()
        on_end(asyncio.get_running_loop(), ended.set)
        await self.start()
        try:
            ready()
            await ended.wait()
        finally:
            await self.stop()

    async def start(self) -> None:
        """Accept connections, and follow the running lesson.

        Raises `SettingError` where another room is open: both would follow the same lesson.
        """
        self._lock = _only_room()
        app = web.Application(middlewares=[self.gate.check], client_max_size=_MOST_BYTES)
        app.on_response_prepare.append(put_headers)
        app.on_response_prepare.append(self._make_room)
        app.add_routes(
            [
                web.get("/", self._show),
                web.get("/now", self._now),
                web.post("/vote", self._vote),
                web.get("/look/room.{kind:css|js}", self._style_or_script),
            ]
        )
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        self._listener = await accept(self._runner, self._listening, self._most)
        self._stopped = asyncio.Event()
        self._following = asyncio.create_task(self._follow())

    async def stop(self) -> None:
        """Forget the votes, and stop."""
        self._listener.close()
        # Not cancelled: the thread that writes the votes would go on, and write them again.
        self._stopped.set()
        await asyncio.gather(self._following, return_exceptions=True)
        await self._runner.cleanup()
        self._end_lesson()
        if self._lock is not None:
            self._lock.release()

    async def _make_room(self, _request: web.Request, response: web.StreamResponse) -> None:
        """Close each connection after its answer while many phones are connected.

        Each asks every other second, and would keep a connection for itself.
        """
        server = self._runner.server
        if server is not None and len(server.connections) > _CROWDED * self._most:
            response.force_close()
            response.headers["Connection"] = "close"

    # -- the lesson --------------------------------------------------------------------------------

    async def _follow(self) -> None:
        written: Votes | None = None
        told = ""
        while not self._stopped.is_set():
            try:
                written = await self._look(written)
                told = ""
            except (MemoryError, OSError, RuntimeError) as error:
                # The system has no memory or no thread to spare: later it may have.
                if told != str(error):
                    told = str(error)
                    logging.warning(_("The lesson cannot be followed: {error}.", error=told))
            with suppress(TimeoutError):
                async with asyncio.timeout(_MOMENT):
                    await self._stopped.wait()

    async def _look(self, written: Votes | None) -> Votes | None:
        """See what the running lesson asks, and write the votes on it.

        All votes are forgotten when another lesson runs. Given and returned is what was written.
        """
        path, progress = await asyncio.to_thread(_running)
        if path != self._progress:
            self._end_lesson()
            self._progress, self.box, written = path, BallotBox(), None
        if progress is not None or path is None:
            self._title = escape_control_characters(progress.title) if progress else ""
        self.box.show(ballot_of(_drawable(progress)) if progress else None)
        votes = Votes(self.address, dict(self.box.counts()))
        if path is not None and votes != written:
            await asyncio.to_thread(write_votes, path, votes)
        elif path is not None:
            await asyncio.to_thread(touch_votes, path)
        return votes

    def _end_lesson(self) -> None:
        """Forget the votes on a lesson; keep the counts where that was asked for."""
        if self._progress is not None:
            remove_votes(self._progress)
        results = self.box.results()
        if self._keep is not None and results:
            lines = [json.dumps({"lesson": self._title} | result) for result in results]
            try:
                with open_to_append(self._keep, _COUNTS) as file:
                    file.write("".join(f"{line}\n" for line in lines))
            except OSError as error:
                logging.warning(_("The counts cannot be kept: {error}.", error=error.strerror))

    # -- the page ----------------------------------------------------------------------------------

    def _version(self, ballot: Ballot | None) -> str:
        return f"{ballot.id}-{ballot.open}" if ballot is not None else "nothing"

    async def _show(self, request: web.Request) -> web.Response:
        """The page with what is asked now."""
        voter = request.cookies.get(self._cookie, "")
        known = self.box.knows(voter)
        voter = voter if known else self.box.admit()
        text = self._page.render(
            language=spoken(),
            title=self._title or _("Votes"),
            now=self._version(self.box.ballot),
            ballot=self.box.ballot,
            chosen=self.box.choice(voter),
            full=not voter,
            code=self._code,
            say=_sentences(kept=self._keep is not None),
        )
        response = web.Response(text=text, content_type="text/html")
        response.headers["Content-Security-Policy"] = PAGE_POLICY
        if voter and not known:
            response.set_cookie(
                self._cookie, voter, httponly=True, samesite="Lax", secure=request.secure
            )
        return response

    async def _now(self, _request: web.Request) -> web.Response:
        return web.Response(text=self._version(self.box.ballot))

    async def _vote(self, request: web.Request) -> web.Response:
        """Count a vote, and show the page again."""
        form = await _form(request)
        ballot, option = form.get("ballot"), form.get("option")
        if ballot is None or option not in _DIGITS:
            raise _no_vote()
        self.box.vote(request.cookies.get(self._cookie, ""), ballot, int(option))
        raise web.HTTPSeeOther("/")

    async def _style_or_script(self, request: web.Request) -> web.FileResponse:
        return web.FileResponse(_HERE / f"room.{request.match_info['kind']}")


async def _form(request: web.Request) -> dict[str, str]:
    """The fields of the page's form; raises an answer for what no form of ours sends.

    aiohttp's own reader of forms also takes files, and any codec of Python that is named to it.
    """
    if request.content_type != "application/x-www-form-urlencoded":
        raise _no_vote()
    try:
        async with asyncio.timeout(REQUEST_SECONDS):
            body = await request.read()
        return dict(parse_qsl(body.decode("ascii"), max_num_fields=_MOST_FIELDS))
    except TimeoutError:
        raise web.HTTPRequestTimeout from None
    except (ValueError, HttpProcessingError, web.RequestPayloadError):
        raise _no_vote() from None


def _no_vote() -> web.HTTPBadRequest:
    return web.HTTPBadRequest(text=_("This is no vote.") + "\n")


def _only_room() -> Lock | None:
    """A lock on the folder of the running lessons; raises `SettingError` where a room has it.

    None where the system cannot lock it, and two rooms are not told apart.
    """
    folder = progress_file.folder()
    try:
        make_private_folder(folder)
        return Lock(folder)
    except BlockingIOError:
        raise SettingError(
            _("A room is open already."),
            where="--room",
            hint=_("Let the phones vote there, or close it first."),
        ) from None
    except OSError:
        return None


def _check_kept(path: Path) -> None:
    """See that counts can be added to a file, which may not be there yet; raises `SettingError`."""
    try:
        if path.exists():
            open_to_append(path, _COUNTS).close()
        else:
            TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise SettingError(
            _("The counts cannot be kept: {error}.", error=error.strerror),
            where="--keep",
            hint=_("Name another file."),
        ) from error


def _running() -> tuple[Path | None, Progress | None]:
    """The file of the running lesson, and what it says; nothing where none runs."""
    path = progress_file.newest()
    return path, None if path is None else progress_file.read(path)


def _drawable(progress: Progress) -> Progress:
    """The same without control characters in what phones show and counts repeat."""
    return replace(
        progress,
        ask=escape_control_characters(progress.ask),
        options=tuple(map(escape_control_characters, progress.options)),
    )


_DIGITS = frozenset("012345678")
"""The options of a prediction by index: there are nine at most."""


def _sentences(*, kept: bool) -> dict[str, str]:
    return {
        "full": _("As many phones as can be counted are here already."),
        "nothing": _("Nothing is asked at the moment. This page changes by itself."),
        "choose": _("What do you think? Choose one."),
        "voted": _("Counted. You can change your mind until the answer is shown."),
        "closed": _("The answer is on the screen in front."),
        "code": _("The code for your neighbour"),
        "privacy": _("No names are asked. How many chose what is kept.")
        if kept
        else _("No names are asked, and nothing is kept when the lesson ends."),
        "again": _("Load the page again to see what is asked"),
    }
