"""The HTTP session of Hugging Face's library, and the headers of our requests.

The session does not read the bodies of redirects.
"""

from __future__ import annotations

from typing import Any

from core.hub.token import Token


def session() -> Any:
    """The HTTP session that the library shares, with our hook added to it."""
    from huggingface_hub.utils._http import get_session

    shared = get_session()
    hooks = shared.event_hooks
    if _leave_body not in hooks["response"]:
        shared.event_hooks = {**hooks, "response": [*hooks["response"], _leave_body]}
    return shared


def headers() -> dict[str, str]:
    """What a request says of us: the program and its version, and the token if there is one.

    The library's own headers are not used: to make them it asks the server for variables of the
    environment, and tells it which of them are set.
    """
    from importlib.metadata import version

    said = {"user-agent": f"commonsense-tui/{version('commonsense-tui')}"}
    return said | Token().headers()


def _leave_body(response: Any) -> None:
    """Put nothing in the place of a redirection's body, which the library reads to its end."""
    from httpx2 import ByteStream

    if response.has_redirect_location:
        response.stream.close()
        response.stream = ByteStream(b"")
