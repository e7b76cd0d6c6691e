"""Asks a Hugging Face server what a repository holds, and fetches its large files.

The token comes from `HF_TOKEN` or from `hf auth login`, and the server from `HF_ENDPOINT`. Messages
are our own (`core.hub.failures`).
"""

from __future__ import annotations

import hashlib
import logging
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from core.files.atomic import atomic_write, make_private_folder
from core.files.regular_file import open_regular_file
from core.hub import cache
from core.hub.arriving_file import ArrivingFile, OnBytes
from core.hub.deadline import set_file_deadline
from core.hub.failures import page_of, translated
from core.hub.only_program import only_program
from core.hub.record import FetchedKind
from core.hub.repository_answer import ask
from core.hub.session import headers, session
from core.hub.token import Token
from core.text.errors import HubError
from core.text.language import _
from core.text.sizes import human_bytes

PIECE_BYTES = 64 * 2**10
"""Size of the pieces in which a file is written. A slow line needs over a minute for the 10 MB of
the library's own pieces, which would look as if nothing came."""
_MOST_FILES = 5_000
_REPO_TYPES = {FetchedKind.MODEL: "model", FetchedKind.DATA: "dataset"}


@dataclass(frozen=True, slots=True)
class RepositoryFile:
    """A file of a repository."""

    name: str
    bytes: int
    sha256: str
    """Empty for small files, for which the server keeps none."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What a repository holds at one commit."""

    kind: FetchedKind
    repository: str
    revision: str
    licence: str
    """As its card names it; empty where it names none."""
    files: tuple[RepositoryFile, ...]

    @property
    def page(self) -> str:
        """Its page, for a person."""
        return page_of(self.kind, self.repository)


def check_possible(where: str) -> None:
    """Raise `HubError` where the network is forbidden."""
    if cache.offline():
        raise HubError(
            _("HF_HUB_OFFLINE forbids the network."),
            where=where,
            hint=_("Unset HF_HUB_OFFLINE."),
        )


def beyond(start: int, on_bytes: OnBytes) -> OnBytes:
    """Report the bytes of a file that comes after `start` bytes of others."""
    return lambda count: on_bytes(start + count)


def list_files(kind: FetchedKind, repository: str) -> Listing:
    """What a repository holds now, but for names that are no plain paths.

    The token of the server is in none of it. Raises `HubError`, `NotFoundError`.
    """
    check_possible(repository)
    with translated(kind, repository):
        from huggingface_hub.utils._validators import validate_repo_id

        server = _endpoint().rstrip("/")
        validate_repo_id(repository)
        answer = ask(f"{server}/api/{_REPO_TYPES[kind]}s/{repository}", repository)
    files = [
        RepositoryFile(each.rfilename, each.size or 0, each.lfs.sha256 if each.lfs else "")
        for each in (answer.siblings or ())[:_MOST_FILES]
        if is_plain(each.rfilename)
    ]
    token = Token()
    listing = Listing(kind, repository, answer.sha, token.hide(answer.licence)[:200], tuple(files))
    said = [listing.revision, *(text for file in files for text in (file.name, file.sha256))]
    if any(map(token.is_in, said)):
        raise HubError(
            _("The server repeats the token in what it says of its files."),
            where=repository,
            hint=_("Do not give it a token: is HF_ENDPOINT the server that you mean?"),
        )
    return listing


def is_plain(name: str) -> bool:
    """Whether the name of a file in a repository can be a path below a folder of ours."""
    parts = PurePosixPath(name).parts
    plain = all(part.isprintable() and not part.startswith(".") for part in parts)
    return bool(parts) and plain and "\\" not in name and not name.startswith("/")


def address_of(listing: Listing, file: RepositoryFile) -> str:
    """The address of a file."""
    from huggingface_hub import hf_hub_url

    return hf_hub_url(
        listing.repository,
        file.name,
        repo_type=_REPO_TYPES[listing.kind],
        revision=listing.revision,
        endpoint=_endpoint(),
    )


def fetch_into_cache(listing: Listing, file: RepositoryFile, on_bytes: OnBytes) -> Path:
    """Fetch a large file into the cache, go on where an earlier transfer ended, and check it.

    Raises `HubError`.
    """
    blob = blob_of(listing, file)
    fresh = not blob.exists()
    with translated(listing.kind, listing.repository):
        if fresh:
            make_private_folder(blob.parent)
            lock = blob.with_suffix(".part.lock")
            taken = _("Another program is fetching this file.")
            with only_program(lock, taken, where=file.name):
                _fetch_blob(listing, file, blob, on_bytes)
        path = _link(listing, file, blob)
        if not fresh or not path.samefile(blob):
            _check(path, file, blob)
            on_bytes(file.bytes)
    return path


def _link(listing: Listing, file: RepositoryFile, blob: Path) -> Path:
    """Where the cache has a file under its name."""
    # `hf_hub_download` would ask the server again, and go by the paths that it then names.
    from huggingface_hub.file_download import _create_symlink

    path = blob.parent.parent / "snapshots" / listing.revision / file.name
    if not path.exists():
        make_private_folder(path.parent)
        _mark_cache()
        _create_symlink(str(blob), str(path))
    return path


def _mark_cache() -> None:
    """Write the file by which programs that make copies know a cache, unless it is there."""
    from huggingface_hub._local_folder import CACHEDIR_TAG_CONTENT

    tag = cache.folder() / "CACHEDIR.TAG"
    if not tag.exists():
        # The folder of another person may take none.
        with suppress(OSError):
            atomic_write(tag, CACHEDIR_TAG_CONTENT, private=True)


def blob_of(listing: Listing, file: RepositoryFile) -> Path:
    """Where the cache keeps the content of a large file; it need not exist."""
    from huggingface_hub.file_download import repo_folder_name

    name = repo_folder_name(repo_id=listing.repository, repo_type=_REPO_TYPES[listing.kind])
    return cache.folder() / name / "blobs" / file.sha256


def part_of(blob: Path) -> Path:
    """Where the beginning of a file waits for the rest."""
    return blob.with_suffix(".part")


def _fetch_blob(listing: Listing, file: RepositoryFile, blob: Path, on_bytes: OnBytes) -> None:
    # `hf_hub_download` begins again after a program was stopped; its own `http_get` need not.
    from huggingface_hub import constants
    from huggingface_hub.file_download import http_get
    from huggingface_hub.utils.tqdm import disable_progress_bars

    if file.bytes > constants.MAX_HTTP_DOWNLOAD_SIZE:
        raise HubError(
            _(
                "This file has {size}; more than {most} are not sent in one.",
                size=human_bytes(file.bytes),
                most=human_bytes(constants.MAX_HTTP_DOWNLOAD_SIZE),
            ),
            where=file.name,
            hint=_("Take a smaller quantisation, or one in parts."),
        )
    disable_progress_bars()
    logging.getLogger("huggingface_hub").setLevel(logging.CRITICAL)
    part = part_of(blob)
    session()  # for `http_get`, which takes the one that is shared
    constants.DOWNLOAD_CHUNK_SIZE = PIECE_BYTES
    with (
        set_file_deadline(file.name) as deadline,
        ArrivingFile(part, file.bytes, file.name, deadline.watch(on_bytes)) as target,
    ):
        http_get(
            address_of(listing, file),
            target,
            resume_size=target.tell(),
            headers=headers(),
            expected_size=file.bytes,
        )
    _check(part, file, part)
    part.replace(blob)


def _check(path: Path, file: RepositoryFile, blob: Path) -> None:
    """Compare a file with its checksum; raises `HubError`.

    A wrong one is removed, and `blob` if it is the same: what else a link leads to is not ours.
    """
    if file.sha256 and sha256_of(path) != file.sha256:
        if path.samefile(blob):
            blob.unlink()
        path.unlink(missing_ok=True)
        raise HubError(
            _("What arrived is not what was published: its checksum is wrong."),
            where=file.name,
            hint=_("It was removed. Get it again."),
        )


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits; raises `HubError`."""
    try:
        with open_regular_file(path, HubError) as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()
    except OSError as error:
        raise HubError(
            _("This file cannot be read: {why}.", why=error.strerror), where=path
        ) from error


def _endpoint() -> str:
    """The address of the server; raises `HubError` for one with a user or a password in it."""
    # The library reads HF_ENDPOINT when it is imported.
    from huggingface_hub import constants

    named = os.environ.get("HF_ENDPOINT") or constants.ENDPOINT
    if "@" in named:
        raise HubError(
            _("An address with a password in it would be shown and recorded."),
            where="HF_ENDPOINT",
            hint=_("Leave out what stands before the host. A token belongs in HF_TOKEN."),
        )
    return named
