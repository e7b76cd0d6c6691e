"""What was chosen for the last run over each collection, in one small file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from core.files import paths
from core.files.config import MOST_AT_ONCE
from core.files.state_file import read_state, write_state
from core.runs.records import replace_surrogates
from core.text.errors import DataError
from core.text.language import _
from tui.runs.choices import ORDERS, SAMPLES, SHOTS, Choices

MOST = 50
"""Most collections whose choices are kept."""
_LIMIT = 200_000
"""Most bytes of the file."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """What was chosen for a collection."""

    benchmark: str
    path: str
    choices: Choices


def place() -> Path:
    """The file; it need not exist."""
    return paths.state() / "run-choices.json"


def read(benchmark: str, path: Path) -> Choices:
    """What was chosen last for a collection; the usual where nothing is known of it."""
    named = benchmark, _shown(path)
    kept = (each.choices for each in _read() if (each.benchmark, each.path) == named)
    return next(kept, Choices())


def keep(benchmark: str, path: Path, choices: Choices) -> None:
    """Keep what is chosen for a collection; raises `DataError` where that cannot be stored."""
    now = _Kept(benchmark, _shown(path), choices)
    others = [each for each in _read() if (each.benchmark, each.path) != (benchmark, now.path)]
    try:
        write_state(place(), [now, *others][:MOST])
    except OSError as error:
        raise DataError(
            _("What was chosen cannot be kept: {why}.", why=error.strerror), where=place()
        ) from error


def _shown(path: Path) -> str:
    """Where a collection is, as JSON can have it."""
    return replace_surrogates(str(path.absolute()))


def _read() -> list[_Kept]:
    """What is kept, the newest first; nothing where the file is missing or damaged."""
    kept = read_state(place(), _LIMIT, list[_Kept]) or []
    return [each for each in kept[:MOST] if _offered(each.choices)]


def _offered(choices: Choices) -> bool:
    """Whether a person could have chosen this."""
    return (
        choices.shots in SHOTS
        and choices.orders in ORDERS
        and choices.sample in {0, *SAMPLES}
        and 0 <= choices.at_once <= MOST_AT_ONCE
    )
