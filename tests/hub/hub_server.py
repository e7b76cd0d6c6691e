"""A server on this machine that publishes files as Hugging Face and plain web servers do."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

COMMIT = "a" * 40


@dataclass
class Fault:
    """What goes wrong with one answer for the content of a file."""

    status: int = 0
    """This status in the place of the content."""
    retry_after: str = ""
    cut: int = 0
    """The connection breaks after so many bytes."""
    wrong: bool = False
    """Other bytes of the same number."""
    endless: bool = False
    """More bytes than announced."""
    drips: bool = False
    """A sixtieth now and then, all of it x."""
    length: str = ""
    """Said in the place of the length."""
    raw: bytes = b""
    """What comes in the place of the answer,"""
    forever: bytes = b""
    """and then without end; nothing more, and the connection stays, where this is empty."""


@dataclass
class Published:
    """Repositories and files, faults to come, and the requests that were made."""

    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    """Of each `models/OWNER/REPO` or `datasets/OWNER/REPO`; and of `plain`."""
    card: dict[str, Any] = field(default_factory=lambda: {"license": "apache-2.0"})
    commit: str = COMMIT
    large: bool = True
    """Whether files are stored as large ones, of which the listing has checksums."""
    refuses: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Status and error code for a repository."""
    token: str = ""
    """Needed for everything but the content, which another host serves."""
    faults: list[Fault] = field(default_factory=list)
    spoil: Callable[[dict[str, Any]], object] | None = None
    """What is said in the place of an honest listing: bytes as they are, anything else as JSON."""
    listing_headers: dict[str, str] = field(default_factory=dict)
    listing_status: int = 200
    listing_drips: str = ""
    """Whether the listing comes a byte now and then: from its "headers" or from its "body" on."""
    listing_endless: bool = False
    listing_flood: bytes = b""
    """What comes for ever in the place of the listing."""
    moved: dict[str, str] = field(default_factory=dict)
    """Where the repositories are that were renamed."""
    content_headers: dict[str, str] = field(default_factory=dict)
    """Of the answer that says where the content is."""
    redirection_endless: bool = False
    """Whether that answer has a body without end."""
    ended: bool = False
    requests: list[tuple[str, str, dict[str, str]]] = field(default_factory=list)
    """Method, path and headers (names in lower case)."""
    url: str = ""
    content_url: str = ""

    def ranges(self) -> list[str]:
        """The ranges that were asked for."""
        contents = (h for _m, path, h in self.requests if path.startswith("/content/"))
        return [headers["range"] for headers in contents if "range" in headers]

    def transfers(self) -> list[str]:
        """The paths of contents that were asked for."""
        return [
            path for method, path, _h in self.requests if method == "GET" and "/api/" not in path
        ]


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@contextmanager
def hub_server() -> Iterator[Published]:
    """Serve on two ports of loopback: the second has the contents, as a CDN has."""
    published = Published()
    servers = [ThreadingHTTPServer(("127.0.0.1", 0), _handler(published)) for _each in range(2)]
    published.url, published.content_url = (f"http://127.0.0.1:{s.server_port}" for s in servers)
    threads = [threading.Thread(target=s.serve_forever, args=(0.01,), daemon=True) for s in servers]
    for thread in threads:
        thread.start()
    try:
        yield published
    finally:
        published.ended = True
        for server in servers:
            server.shutdown()
            server.server_close()


def _handler(published: Published) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_arguments: object) -> None:
            pass

        def do_HEAD(self) -> None:
            self._answer()

        def do_GET(self) -> None:
            self._answer()

        def _answer(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            published.requests.append((self.command, self.path, headers))
            path = self.path.partition("?")[0].strip("/")
            if path.startswith("content/"):
                self._content(path.removeprefix("content/"), headers)
            elif path.startswith("api/"):
                self._listing(path.removeprefix("api/"), headers)
            elif path.startswith("plain/"):
                self._plain(path.removeprefix("plain/"), headers)
            else:
                self._resolve(path, headers)

        def _refused(self, repository: str, headers: dict[str, str]) -> bool:
            status, code = published.refuses.get(repository, (0, ""))
            wanted = f"Bearer {published.token}"
            if not status and published.token and headers.get("authorization") != wanted:
                status, code = 401, "RepoNotFound"
            if not status and repository not in published.files:
                status, code = 404, "RepoNotFound"
            if status:
                self._send(
                    status, b"{}", {"X-Error-Code": code, "X-Error-Message": "\x1b[31m evil"}
                )
            return bool(status)

        def _listing(self, repository: str, headers: dict[str, str]) -> None:
            repository = repository.removesuffix(f"/revision/{published.commit}")
            if repository in published.moved:
                self._send(307, b"", {"Location": f"/api/{published.moved[repository]}?blobs=true"})
                return
            if self._refused(repository, headers):
                return
            files = published.files[repository]
            siblings = [
                {
                    "rfilename": name,
                    "size": len(content),
                    "blobId": "b" * 40,
                    "lfs": {"size": len(content), "sha256": sha256(content), "pointerSize": 130}
                    if published.large
                    else None,
                }
                for name, content in files.items()
            ]
            info = {
                "id": repository.partition("/")[2],
                "sha": published.commit,
                "siblings": siblings,
                "cardData": published.card,
                "tags": [],
                "gated": False,
            }
            said = published.spoil(info) if published.spoil else info
            body = said if isinstance(said, bytes) else json.dumps(said).encode()
            if published.listing_flood:
                self._drip(b"", published.listing_flood * 500, 0)
            elif published.listing_drips == "headers":
                self._drip(b"HTTP/1.1 200 OK\r\nX-Long: ")
            elif published.listing_drips:
                self._drip(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            elif published.listing_endless:
                self._drip(
                    b"HTTP/1.1 %d Said\r\n" % published.listing_status
                    + b"".join(
                        b"%s: %s\r\n" % (n.encode(), v.encode())
                        for n, v in published.listing_headers.items()
                    )
                    + b"\r\n",
                    b" " * 2**16,
                    0,
                )
            else:
                self._send(
                    published.listing_status,
                    body,
                    {"Content-Type": "application/json", **published.listing_headers},
                )

        def _drip(self, beginning: bytes, piece: bytes = b"x", pause: float = 0.02) -> None:
            self.close_connection = True
            try:
                self.wfile.write(beginning)
                while not published.ended:
                    self.wfile.write(piece)
                    time.sleep(pause)
            except OSError:
                pass

        def _resolve(self, path: str, headers: dict[str, str]) -> None:
            repository, _resolve, rest = path.partition("/resolve/")
            if not repository.startswith("datasets/"):
                repository = f"models/{repository}"
            name = rest.partition("/")[2]
            if self._refused(repository, headers):
                return
            content = published.files[repository].get(name)
            if content is None:
                self._send(404, b"", {"X-Error-Code": "EntryNotFound"})
                return
            target = f"{published.content_url}/content/{repository}/{name}"
            linked = {
                "X-Repo-Commit": published.commit,
                "X-Linked-Etag": f'"{sha256(content)}"',
                "X-Linked-Size": str(len(content)),
                "ETag": f'"{"e" * 32}"',
                "Location": target,
                **published.content_headers,
            }
            if published.redirection_endless:
                lines = "".join(f"{name}: {value}\r\n" for name, value in linked.items())
                self._drip(f"HTTP/1.1 302 Found\r\n{lines}\r\n".encode(), b" " * 2**16, 0)
                return
            self._send(302, b"", linked)

        def _content(self, path: str, headers: dict[str, str]) -> None:
            kind, owner, repo, name = path.split("/", 3)
            self._file(published.files[f"{kind}/{owner}/{repo}"][name], headers)

        def _plain(self, name: str, headers: dict[str, str]) -> None:
            content = published.files.get("plain", {}).get(name)
            if content is None:
                self._send(404, b"", {})
            else:
                self._file(content, headers)

        def _file(self, content: bytes, headers: dict[str, str]) -> None:
            fault = Fault()
            if self.command == "GET" and published.faults:
                fault = published.faults.pop(0)
            if fault.raw or fault.forever:
                self.close_connection = True
                if fault.cut:
                    self.wfile.write(fault.raw[: fault.cut])
                else:
                    self._drip(fault.raw, fault.forever * 500, 0 if fault.forever else 0.02)
                return
            if fault.drips:
                head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(content)
                self._drip(head, b"x" * (len(content) // 60 or 1))
                return
            if fault.status:
                extra = {"Retry-After": fault.retry_after} if fault.retry_after else {}
                self._send(fault.status, b"", extra)
                return
            start = int(headers.get("range", "bytes=0-").removeprefix("bytes=").rstrip("-"))
            sent = content[start:]
            if fault.wrong:
                sent = bytes(byte ^ 1 for byte in sent)
            if fault.endless:
                sent += b"x" * 10_000_000
            status = 206 if "range" in headers else 200
            extra = {"ETag": f'"{sha256(content)}"', "Accept-Ranges": "bytes"}
            if status == 206:
                extra["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
            self._send(status, sent, extra, cut=fault.cut, length=fault.length)

        def _send(
            self,
            status: int,
            body: bytes,
            headers: dict[str, str],
            cut: int = 0,
            length: str = "",
        ) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value.replace("\x1b", ""))
            self.send_header("Content-Length", length or str(len(body)))
            self.end_headers()
            if self.command == "HEAD":
                return
            try:
                self.wfile.write(body[:cut] if cut else body)
            except ConnectionError:
                self.close_connection = True
            if cut or length:
                self.close_connection = True

    return Handler
