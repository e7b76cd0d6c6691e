"""Keeps two programs from recording the same run at the same time.

The operating system locks a small file beside the store, so the lock ends with the process,
however that ends.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from core.files.lock_file import held
from core.system.file_lock import is_locked
from core.text.errors import RunError
from core.text.language import _

_PATIENCE = 0.5
"""Seconds to wait for another program that only asks whether the lock is held."""


@contextmanager
def hold(store: Path, run_id: str) -> Iterator[None]:
    """Keep other programs from recording a run; raises `RunError` if one already does."""
    file = _file(store, run_id)
    with ExitStack() as holding:
        try:
            holding.enter_context(held(file, patience=_PATIENCE))
        except BlockingIOError as error:
            raise RunError(
                _("Another program is just recording run {run_id}.", run_id=run_id),
                where=store,
                hint=_("Wait until it is done, or pause it there."),
            ) from error
        except OSError as error:
            raise RunError(
                _("The lock of this run cannot be used."),
                where=file,
                hint=_("See that the folder can be written and that nothing else has this name."),
            ) from error
        yield


def is_held(store: Path, run_id: str) -> bool:
    """Whether a running program records this run; one that was killed does not."""
    return is_locked(_file(store, run_id))


def _file(store: Path, run_id: str) -> Path:
    # Beside the file itself, whatever link leads to it.
    store = Path(os.path.realpath(store))
    return store.with_name(f"{store.name}.{run_id}.lock")
