"""The lessons that ship with the program and a person's own, by their names."""

from __future__ import annotations

from pathlib import Path

from core.files import paths
from core.files.shipped import samples
from core.lessons.lesson import LANGUAGES, Lesson
from core.lessons.lesson_reader import read_lesson
from core.text.errors import DataError, NotFoundError
from core.text.escaping import quoted
from core.text.language import _
from core.text.suggestions import suggestion

ENDING = ".yaml"


def bundled() -> tuple[Path, ...]:
    """The files of the bundled lessons, in order."""
    return tuple(sorted((samples() / "lessons").glob(f"*{ENDING}")))


def own_folder() -> Path:
    """The folder of a person's own lessons; it need not exist."""
    return paths.data() / "lessons"


def own() -> tuple[Path, ...]:
    """The files of a person's own lessons, by name; raises `DataError` for an unreadable folder."""
    try:
        return tuple(sorted(path for path in own_folder().iterdir() if path.suffix == ENDING))
    except FileNotFoundError:
        return ()
    except OSError as error:
        what = _("Your lessons cannot be read: {why}.", why=error.strerror)
        raise DataError(what, where=own_folder()) from error


def read_all(language: str = LANGUAGES[0]) -> tuple[list[Lesson], list[DataError]]:
    """The lessons that can be read, bundled ones first, and what is wrong with the others."""
    lessons: list[Lesson] = []
    failed: list[DataError] = []
    paths = bundled()
    try:
        paths += own()
    except DataError as error:
        failed.append(error)
    for path in paths:
        try:
            lessons.append(read_lesson(path, language))
        except DataError as error:
            failed.append(error)
    return lessons, failed


def named(name: str, language: str = LANGUAGES[0]) -> Lesson:
    """The lesson with a name: a bundled one (also by its number), an own one, or a file.

    Where a step names an item for each language, it is that of `language`.
    Raises `NotFoundError`, and `DataError` for a file that is not a lesson and for a folder of own
    lessons that cannot be read, unless a bundled lesson or a file that ends in `ENDING` is named.
    """
    for path in bundled():
        number, _hyphen, rest = path.stem.partition("-")
        if name in {path.stem, number, rest}:
            return read_lesson(path, language)
    file = Path(name)
    if file.suffix != ENDING:
        for path in own():
            if name == path.stem:
                return read_lesson(path, language)
    if file.suffix == ENDING or file.is_file():
        if not file.is_file():
            raise NotFoundError("There is no such file.", where=name)
        return read_lesson(file, language)
    known = [path.stem for path in (*bundled(), *own())]
    raise NotFoundError(
        f"There is no lesson {quoted(name)}.", hint=suggestion("Lessons", known, name)
    )
