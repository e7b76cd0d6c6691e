"""Types that values are decoded to, made ready before several threads use them."""

from __future__ import annotations

from threading import Lock
from typing import TypeVar

import msgspec

_T = TypeVar("_T")
_ready: set[object] = set()
_making = Lock()


def ready(kind: type[_T]) -> type[_T]:
    """The same type, which msgspec may now decode to in any thread.

    msgspec looks at the fields of a class when it is first decoded to. A second thread that decodes
    to it meanwhile would find half of them, and the process would end.
    """
    if kind not in _ready:
        with _making:
            msgspec.json.Decoder(kind)
            _ready.add(kind)
    return kind
