"""Gets a published data set as it was released, and compares it with what came the first time."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from core.files import paths
from core.files.atomic import atomic_write, make_private_folder
from core.hub import catalogue, client, record
from core.hub.arriving_file import ArrivingFile, OnBytes
from core.hub.catalogue import KnownData
from core.hub.client import Listing, RepositoryFile
from core.hub.deadline import set_file_deadline
from core.hub.failures import cut_short, refused, unreachable, unwritten
from core.hub.only_program import only_program
from core.hub.record import Fetched, FetchedFile, FetchedKind
from core.hub.session import LONGEST_WAIT, headers, session
from core.hub.space import check_space
from core.text.errors import HubError, NotFoundError
from core.text.language import _
from core.text.suggestions import suggestion

_JSON = (".json", ".jsonl")
_MOST_FILES = 64
_TRIES = 3
_SECONDS = 30
_CHUNK = 64 * 2**10


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to fetch."""

    name: str
    """Its path in the folder of the data set."""
    url: str
    most: int
    """More bytes than this are refused."""
    sha256: str
    """As it was published, or as it came the first time; empty where neither is known."""
    listed: RepositoryFile | None = None


@dataclass(frozen=True, slots=True)
class DataOffer:
    """A data set that can be fetched."""

    known: KnownData
    files: tuple[SourceFile, ...]
    listing: Listing | None = None
    """The repository it is in, if it is in one."""

    @property
    def megabytes(self) -> float:
        """Its size, about."""
        if self.listing:
            return sum(file.most for file in self.files) / 1e6
        return sum(file.megabytes for file in self.known.files)


def known_data(name: str) -> KnownData:
    """The data set of a name; raises `NotFoundError`."""
    known = {data.name: data for data in catalogue.datasets()}
    if name not in known:
        raise NotFoundError(
            _("No data set of this name is known."),
            where=name,
            hint=suggestion(_("Data sets"), known, name),
        )
    return known[name]


def look_up(known: KnownData) -> DataOffer:
    """What is to be fetched; asks the server where the data set is in a repository.

    Raises `HubError` and `NotFoundError`.
    """
    if known.by_hand:
        raise HubError(
            known.by_hand,
            where=known.page,
            hint=_("Get it there, then: {command}", command=known.use),
        )
    client.check_possible(known.name)
    earlier = record.find(FetchedKind.DATA, known.name)
    kept = {file.name: file.sha256 for file in earlier.files} if earlier else {}
    if not known.repository:
        files = []
        for file in known.files:
            name = PurePosixPath(file.url).name
            sha256 = file.sha256 or kept.get(name, "")
            files.append(SourceFile(name, file.url, int(file.megabytes * 10_000_000), sha256))
        return DataOffer(known, tuple(files))
    listing = client.list_files(FetchedKind.DATA, known.repository)
    same = earlier is not None and earlier.revision == listing.revision
    usable = [file for file in listing.files if file.name.endswith(_JSON)][:_MOST_FILES]
    if not usable:
        raise HubError(
            _("Its repository holds no file that can be opened as it is."),
            where=listing.page,
            hint=_("Get it there, save it as JSON, then: {command}", command=known.use),
        )
    files = [
        SourceFile(
            file.name,
            client.address_of(listing, file),
            file.bytes,
            file.sha256 or (kept.get(file.name, "") if same else ""),
            file,
        )
        for file in usable
    ]
    return DataOffer(known, tuple(files), listing)


def get(offer: DataOffer, on_bytes: OnBytes) -> Fetched:
    """Fetch a data set into the data folder and record it; raises `HubError`.

    `on_bytes` is called with the bytes that have come; what it raises stops the transfer.
    """
    folder = paths.datasets() / offer.known.name
    hint = _("Make room, or name another folder for all data of the program with XDG_DATA_HOME.")
    check_space(folder, int(offer.megabytes * 1e6), hint)
    taken = _("Another program is fetching this data set.")
    try:
        make_private_folder(folder)
        with only_program(folder / ".lock", taken, where=offer.known.name):
            files = _fetch_all(offer, folder, on_bytes)
            _write_about(offer.known, folder)
    except OSError as error:
        raise unwritten(error, str(folder)) from error
    fetched = Fetched(
        kind=FetchedKind.DATA,
        name=offer.known.name,
        path=str(_opened(folder, files)),
        source=offer.known.repository or offer.known.files[0].url,
        revision=offer.listing.revision if offer.listing else "",
        licence=offer.known.licence,
        files=tuple(files),
        fetched=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    record.remember(fetched)
    return fetched


def find_whole(known: KnownData) -> Fetched | None:
    """What was fetched of a data set, if every file is there as it came; raises `HubError`."""
    fetched = record.find(FetchedKind.DATA, known.name)
    folder = paths.datasets() / known.name
    if fetched is None or not all((folder / each.name).is_file() for each in fetched.files):
        return None
    same = all(client.sha256_of(folder / each.name) == each.sha256 for each in fetched.files)
    return fetched if same else None


def _opened(folder: Path, files: list[FetchedFile]) -> Path:
    """What is opened: the only file, or the folder of several."""
    return folder / files[0].name if len(files) == 1 else folder


def _fetch_all(offer: DataOffer, folder: Path, on_bytes: OnBytes) -> list[FetchedFile]:
    done = 0
    files = []
    for file in offer.files:
        path = folder / file.name
        _fetch(offer, file, path, client.beyond(done, on_bytes))
        size = path.stat().st_size
        files.append(FetchedFile(file.name, size, client.sha256_of(path)))
        done += size
    return files


def _fetch(offer: DataOffer, file: SourceFile, path: Path, on_bytes: OnBytes) -> None:
    """Fetch a file, unless it is there as it was published or came before; raises `HubError`."""
    from httpx2 import HTTPError, HTTPStatusError, InvalidURL

    if file.sha256 and path.exists() and client.sha256_of(path) == file.sha256:
        return
    new = path.with_name(f".{path.name}.new")
    where = file.url
    for attempt in range(1, _TRIES + 1):
        try:
            make_private_folder(path.parent)
            new.unlink(missing_ok=True)
            _transfer(file, new, on_bytes)
            _check(offer, file, new)
            new.replace(path)
            return
        except HTTPStatusError as error:
            wait = _asked_to_wait(error.response)
            if wait is None or attempt == _TRIES:
                raise refused(error.response.status_code, where) from error
            time.sleep(wait)
        except (HTTPError, InvalidURL, ValueError) as error:
            # A value error is for a header that is none.
            if attempt == _TRIES:
                raise unreachable(where) from error
            time.sleep(attempt)
        except OSError as error:
            raise unwritten(error, where) from error
        finally:
            with suppress(OSError):
                new.unlink()


def _transfer(file: SourceFile, new: Path, on_bytes: OnBytes) -> None:
    """Write what a server sends of a file.

    Raises `HubError`, `OSError` and the errors of the library.
    """
    with (
        set_file_deadline(file.url) as deadline,
        session().stream(
            "GET", file.url, headers=headers(with_token=file.listed is not None), timeout=_SECONDS
        ) as response,
        ArrivingFile(new, file.most, file.url, deadline.watch(on_bytes)) as target,
    ):
        response.raise_for_status()
        for piece in response.iter_raw(_CHUNK):
            target.write(piece)


def _check(offer: DataOffer, file: SourceFile, new: Path) -> None:
    """Raise `HubError` for a file that is not whole, or not what it should be."""
    if file.listed and new.stat().st_size < file.listed.bytes:
        raise cut_short(file.url)
    if file.sha256 and client.sha256_of(new) != file.sha256:
        raise HubError(
            _("What the server sends is not what was published or came before."),
            where=file.url,
            hint=_(
                "What was here is kept. Look at {page}; to take the new one, remove {folder}.",
                page=offer.known.page,
                folder=new.parent,
            ),
        )


def _asked_to_wait(response: Any) -> float | None:
    """Seconds until another try; None where it would be in vain, or take too long."""
    if response.status_code not in (429, 502, 503, 504):
        return None
    asked = response.headers.get("Retry-After", "1")
    wait = float(asked) if asked.isdecimal() else LONGEST_WAIT + 1
    return wait if wait <= LONGEST_WAIT else None


def _write_about(known: KnownData, folder: Path) -> None:
    """Write licence, origin and citation beside the data, where the program reads them.

    Raises `OSError`.
    """
    fields = ("title", "licence", "citation")
    about = {name: getattr(known, name) for name in fields} | {"origin": known.page}
    # JSON is YAML too.
    atomic_write(folder / "ABOUT.yaml", json.dumps(about, indent=1))
