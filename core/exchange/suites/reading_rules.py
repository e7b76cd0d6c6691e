"""The program's rules for reading generated answers, as a package that stands on its own.

An engine that runs an exported suite has not this program. So that it finds the same answers in the
same texts, the modules of `core.answers` but its last go with it: they need nothing else than the
standard library.
"""

from __future__ import annotations

from pathlib import Path

import core.answers
from core.contract.question import Status

_NOT_RULES = ("__init__", "scoring")
_REWRITTEN = {
    "from core.answers import": "from . import",
    "from core.answers.": "from .",
    "from core.contract.question import Status": "from .status import Status",
}


def write_reading_rules(folder: Path) -> None:
    """Write the package `folder`, whose module `reader` has the function `read`."""
    folder.mkdir()
    (folder / "__init__.py").write_text(f'"""{core.answers.__doc__}"""\n', encoding="utf-8")
    members = "".join(f'    {status.name} = "{status.value}"\n' for status in Status)
    (folder / "status.py").write_text(
        f"from enum import StrEnum\n\n\nclass Status(StrEnum):\n{members}", encoding="utf-8"
    )
    sources = Path(core.answers.__file__).parent
    for module in sorted(sources.glob("*.py")):
        if module.stem in _NOT_RULES:
            continue
        source = module.read_text(encoding="utf-8")
        for ours, theirs in _REWRITTEN.items():
            source = source.replace(ours, theirs)
        (folder / module.name).write_text(source, encoding="utf-8")
