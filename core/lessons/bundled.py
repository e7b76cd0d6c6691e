"""The lessons that ship with the program, by their names."""

from __future__ import annotations

from pathlib import Path

from core.errors import NotFoundError
from core.lessons.lesson import Lesson
from core.lessons.reading import read_lesson
from core.nearest import one_of
from core.shipped import samples

ENDING = ".yaml"


def bundled() -> tuple[Path, ...]:
    """The files of the bundled lessons, in their order."""
    return tuple(sorted((samples() / "lessons").glob(f"*{ENDING}")))


def named(name: str) -> Lesson:
    """The bundled lesson with a name or number, or that of the file which `name` is.

    Raises `NotFoundError`, and `DataError` for a file that is no lesson.
    """
    for path in bundled():
        number, _, rest = path.stem.partition("-")
        if name in {path.stem, number, rest}:
            return read_lesson(path)
    file = Path(name)
    if file.suffix == ENDING or file.is_file():
        if not file.is_file():
            raise NotFoundError("There is no such file.", where=name)
        return read_lesson(file)
    known = [path.stem for path in bundled()]
    raise NotFoundError(f"There is no lesson “{name}”.", hint=one_of("Lessons", known, name))
