"""The connections of Hugging Face's library, made to read no body of a redirection."""

from __future__ import annotations

from typing import Any


def session() -> Any:
    """The HTTP session that the library shares, with our hook added to it."""
    from huggingface_hub.utils._http import get_session

    shared = get_session()
    hooks = shared.event_hooks
    if _leave_body not in hooks["response"]:
        shared.event_hooks = {**hooks, "response": [*hooks["response"], _leave_body]}
    return shared


def _leave_body(response: Any) -> None:
    """Put nothing in the place of a redirection's body, which the library reads to its end."""
    from httpx2 import ByteStream

    if response.has_redirect_location:
        response.stream.close()
        response.stream = ByteStream(b"")
