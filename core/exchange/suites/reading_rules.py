"""The program's rules for reading generated answers, as a package that stands on its own.

An engine that runs an exported suite has not this program. So that it finds the same answers in the
same texts, `core.answers.reader` and the modules that it imports go with it; of the rest of the
program they need only the names of the outcomes.
"""

from __future__ import annotations

import re
from pathlib import Path

import core.answers
from core.contract.question import Status

_FIRST = "reader"
_IMPORTED = re.compile(r"^from core\.answers(?:\.(\w+) import|  *import (\w+))", re.MULTILINE)
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
    for module, source in _sources().items():
        for ours, theirs in _REWRITTEN.items():
            source = source.replace(ours, theirs)
        (folder / f"{module}.py").write_text(source, encoding="utf-8")


def _sources() -> dict[str, str]:
    """The sources of the reader and of what it imports from its own package, by module."""
    package = Path(core.answers.__file__).parent
    sources: dict[str, str] = {}
    left = [_FIRST]
    while left:
        module = left.pop()
        if module not in sources:
            sources[module] = (package / f"{module}.py").read_text(encoding="utf-8")
            left += [submodule or name for submodule, name in _IMPORTED.findall(sources[module])]
    return sources
