"""What goes wrong with a server that publishes, as errors in words of our own.

Nothing that a server says is repeated, so no token and no signed address is shown.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from core.hub.record import FetchedKind
from core.text.errors import HubError, NotFoundError
from core.text.language import _


def page_of(kind: FetchedKind, repository: str) -> str:
    """The page of a repository, for a person."""
    folder = "datasets/" if kind is FetchedKind.DATA else ""
    return f"https://huggingface.co/{folder}{repository}"


@contextmanager
def translated(kind: FetchedKind, repository: str) -> Iterator[None]:
    """Raise the library's errors as `HubError` or `NotFoundError`, in words of our own."""
    from httpx2 import HTTPError, InvalidURL
    from huggingface_hub.errors import (
        EntryNotFoundError,
        GatedRepoError,
        HfHubHTTPError,
        HFValidationError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    try:
        yield
    except GatedRepoError as error:
        raise HubError(
            _("Its makers ask you to agree to their terms first."),
            where=repository,
            hint=_(
                "Agree at {page}, then set HF_TOKEN to a token of yours.",
                page=page_of(kind, repository),
            ),
        ) from error
    except (RepositoryNotFoundError, HFValidationError) as error:
        raise NotFoundError(
            _("There is no such repository, or it is private."),
            where=repository,
            hint=_("Look at {page}, or set HF_TOKEN.", page=page_of(kind, repository)),
        ) from error
    except (EntryNotFoundError, RevisionNotFoundError) as error:
        raise HubError(_("The server no longer has this file."), where=repository) from error
    except HfHubHTTPError as error:
        raise refused(error.response.status_code, repository) from error
    except (HTTPError, InvalidURL) as error:
        raise unreachable(repository) from error
    except OSError as error:
        raise unwritten(error, repository) from error
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        # The library takes what a server says as it comes.
        raise no_answer(repository) from error


def refused(status: int, where: str) -> HubError:
    """The error for a server's refusal."""
    if status in (401, 403):
        return HubError(
            _("The server refuses access ({status}).", status=status),
            where=where,
            hint=_("Set HF_TOKEN to a token that may read this."),
        )
    if status == 429:
        return HubError(
            _("The server asks to wait: too many requests."),
            where=where,
            hint=_("Try again in some minutes."),
        )
    return HubError(
        _("The server answers with an error ({status}).", status=status),
        where=where,
        hint=_("Try again later."),
    )


def unreachable(where: str) -> HubError:
    """The error for a connection that fails or breaks."""
    return HubError(
        _("The server cannot be reached, or the connection broke."),
        where=where,
        hint=_("Look at the network, and get it again; of a model, what arrived is kept."),
    )


def unwritten(error: OSError, where: str) -> HubError:
    """The error for a file that cannot be written, or did not arrive whole."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return HubError(_("The disk is full."), where=where, hint=_("Make room, and try again."))
    if error.errno is None:
        return cut_short(where)
    return HubError(
        _("What arrives cannot be written: {why}.", why=error.strerror),
        where=error.filename2 or error.filename or where,
    )


def cut_short(where: str) -> HubError:
    """The error for a file that did not arrive whole."""
    return HubError(_("The file did not arrive whole."), where=where, hint=_("Get it again."))


def no_answer(where: str) -> HubError:
    """The error for a server that says what no Hugging Face server says."""
    return HubError(
        _("The server's answer is not that of a Hugging Face server."),
        where=where,
        hint=_("Look at HF_ENDPOINT, which names the server, or try again later."),
    )
