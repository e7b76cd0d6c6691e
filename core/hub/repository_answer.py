"""Asks a Hugging Face server what a repository holds, and takes no answer that is not one.

`HF_ENDPOINT` may name any server. What it says becomes paths, sizes and checksums here, so only the
fields that are used are decoded, each in its form, and the answer has a size and a deadline.
"""

from __future__ import annotations

from queue import Empty, SimpleQueue
from threading import Thread
from typing import Annotated, Any

import msgspec

from core.hub.deadline import set_deadline
from core.hub.failures import no_answer
from core.hub.session import headers, session
from core.system.typed_values import ready
from core.text.errors import HubError
from core.text.language import _

MOST_BYTES = 8 * 2**20
"""Most bytes of the answer."""
SECONDS = 60.0
"""For the whole answer, with its headers and redirections."""
_STEP_SECONDS = 30
"""For each step: to connect, and to wait for the next bytes."""


class LargeFile(msgspec.Struct):
    """What is known of a file that is not kept in the repository itself."""

    sha256: Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]


class AnsweredFile(msgspec.Struct):
    """A file of a repository; its name is as the server gives it."""

    rfilename: str
    size: Annotated[int, msgspec.Meta(ge=0, le=2**53)] | None = None
    lfs: LargeFile | None = None


class Card(msgspec.Struct):
    """What a repository's card names as its licence: a text or a list, or anything else."""

    license: Any = None
    license_name: Any = None


class RepositoryAnswer(msgspec.Struct):
    """What a repository holds at one commit."""

    sha: Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{40}\Z")]
    siblings: list[AnsweredFile] | None = None
    tags: list[str] | None = None
    card: Card | None = msgspec.field(name="cardData", default=None)

    @property
    def licence(self) -> str:
        """As its card names it; empty where it names none."""
        card = self.card or Card()
        tags = [tag for tag in self.tags or () if tag.startswith("license:")]
        tagged = ", ".join(tag.removeprefix("license:") for tag in tags)
        return _words(card.license_name) or _words(card.license) or tagged


def ask(address: str, repository: str) -> RepositoryAnswer:
    """Ask a server for what a repository holds.

    Raises `HubError` for what is no such answer, is too long or takes too long, and the library's
    own errors for refusals and broken connections.
    """
    came: SimpleQueue[bytes | Exception] = SimpleQueue()

    def work() -> None:
        try:
            came.put(_read(address, repository))
        except Exception as error:
            came.put(error)

    # To find the address of a server may take any time. The thread ends with the program, whatever
    # it waits for.
    Thread(target=work, name="hub-listing", daemon=True).start()
    try:
        answer = came.get(timeout=SECONDS)
    except Empty:
        raise _late(repository) from None
    if isinstance(answer, Exception):
        raise answer
    try:
        return msgspec.json.decode(answer, type=ready(RepositoryAnswer))
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise no_answer(repository) from error


def _read(address: str, repository: str) -> bytes:
    """The body of the answer."""
    with (
        set_deadline(SECONDS, repository, lambda: _late(repository)),
        session().stream(
            "GET", address, params={"blobs": True}, headers=headers(), timeout=_STEP_SECONDS
        ) as response,
    ):
        return _body(response, repository)


def _body(response: Any, repository: str) -> bytes:
    from httpx2 import Response
    from huggingface_hub.utils._http import hf_raise_for_status

    if not response.is_success:
        # Without the body, which need not end.
        kept = {
            name: response.headers.get(name, "") for name in ("X-Error-Code", "X-Error-Message")
        }
        status = response.status_code
        hf_raise_for_status(Response(status, headers=kept, request=response.request))
    body = bytearray()
    for piece in response.iter_raw():
        body += piece
        if len(body) > MOST_BYTES:
            raise HubError(
                _("The server's answer has more than {limit:,} bytes.", limit=MOST_BYTES),
                where=repository,
            )
    return bytes(body)


def _late(where: str) -> HubError:
    return HubError(
        _("The server did not finish its answer within {seconds:g} s.", seconds=SECONDS),
        where=where,
        hint=_("Try again later."),
    )


def _words(value: object) -> str:
    """A text, or the texts of a list; empty for anything else."""
    if isinstance(value, list):
        return ", ".join(each for each in value if isinstance(each, str))
    return value if isinstance(value, str) else ""
