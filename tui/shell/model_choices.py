"""The models to choose from: the bundled one, model files in the usual folders, recorded runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.files import paths
from core.hub import cache, catalogue, record
from core.hub.catalogue import KnownModel
from core.hub.models import find_model
from core.hub.names import PREFIX
from core.hub.record import FetchedKind
from core.models.memory import available_memory
from core.models.model_files import describe
from core.models.person import PERSON_PREFIX
from core.models.replay import REPLAY_PREFIX
from core.runs.records import Run
from core.runs.store import Store
from core.text.addresses import is_server, shown_address
from core.text.errors import ModelError
from core.text.language import _
from core.text.quantities import items_in_words
from core.text.sizes import human_bytes


class Kind(StrEnum):
    """The parts of the list, in their order."""

    DEMO = "demo"
    FILE = "file"
    RUN = "run"
    PUBLISHED = "published"
    PATH = "path"


@dataclass(frozen=True, slots=True)
class Entry:
    """A model or recorded run to choose."""

    source: str
    """The name under which it is loaded: "demo", an absolute path, "replay:RUN"; of a published
    model, that under which it is fetched."""
    kind: Kind
    name: str
    facts: tuple[str, ...] = ()
    """Size, quantisation, parameters, architecture; of a run, what it asked."""
    fit: str = ""
    """The memory that it needs and that is free, in words; empty if unknown."""
    trouble: str = ""
    """Why it cannot be loaded; empty if it can, as far as is known."""
    licence: str = ""
    """The licence of a published model, which a person accepts before it is fetched."""

    def matches(self, text: str) -> bool:
        """Whether its name, place or facts contain `text`, ignoring case."""
        words = " ".join((self.name, self.source, *self.facts)).casefold()
        return text.casefold() in words


def folders(configured: Sequence[Path]) -> tuple[Path, ...]:
    """The folders that are searched for models, in order and without repeats."""
    home, here = paths.expanded("~"), paths.working_folder()
    usual = (
        paths.models(),
        home / "models",
        home / ".lmstudio" / "models",
        home / ".cache" / "lm-studio" / "models",
        home / ".cache" / "llama.cpp",
        cache.folder(),
        *([here] if here is not None else []),
    )
    every = (paths.expanded(folder) for folder in (*configured, *usual))
    # A relative folder is nowhere once the folder that the program was started in is removed.
    known = (folder.absolute() for folder in every if here is not None or folder.is_absolute())
    return tuple(dict.fromkeys(known))


def recorded_runs(store: Path) -> list[Entry]:
    """The recorded runs, the newest first; raises `RunError`."""
    with Store(store, create=False) as opened:
        return [_run_entry(run) for run in reversed(opened.runs()) if run.verdicts]


def _run_entry(run: Run) -> Entry:
    facts = (
        run.plan.model,
        run.plan.benchmark,
        items_in_words(run.items),
        _(run.state.value),
    )
    return Entry(f"{REPLAY_PREFIX}{run.id}", Kind.RUN, run.id, facts)


DEMO = "demo"
"""The source of the bundled model."""


def demo_entry() -> Entry:
    """The bundled model."""
    facts = (_("demonstration: its figures are not results"),)
    return Entry(DEMO, Kind.DEMO, _("The bundled model"), facts)


def published_models() -> list[Entry]:
    """The published models that are not fetched; raises `HubError`."""
    fetched = {
        each.name for each in record.read() if each.kind is FetchedKind.MODEL and each.is_there
    }
    return [_published_entry(model) for model in catalogue.models() if model.name not in fetched]


def _published_entry(model: KnownModel) -> Entry:
    size, free = model.megabytes * 10**6, available_memory()
    trouble = ""
    if free is not None and size > free:
        trouble = _(
            "This model needs about {total} of memory; {available} are free.",
            total=human_bytes(size),
            available=human_bytes(free),
        )
    tuning = _("base model") if model.tuning == "base" else _("instruction-tuned")
    facts = (tuning, model.quantisation, human_bytes(size), model.licence)
    return Entry(
        model.name, Kind.PUBLISHED, model.title, facts, trouble=trouble, licence=model.licence
    )


def typing_entry() -> Entry:
    """The line for what is not listed."""
    return Entry("", Kind.PATH, _("type a path, a server's address, or person:NAME…"))


def typed_entry(text: str) -> Entry:
    """The entry of a typed source; raises `ModelError`, `NotFoundError`."""
    wanted = text.strip()
    if wanted == DEMO:
        return demo_entry()
    if wanted.startswith(REPLAY_PREFIX):
        with Store(paths.runs(), create=False) as opened:
            return _run_entry(opened.run(wanted.removeprefix(REPLAY_PREFIX).strip()))
    if wanted.startswith(PERSON_PREFIX):
        return Entry(wanted, Kind.PATH, wanted, (_("a person at the keys"),))
    if is_server(wanted):
        return Entry(wanted, Kind.PATH, shown_address(wanted), (_("a server"),))
    if wanted.startswith(PREFIX):
        return file_entry(find_model(wanted))
    if not wanted:
        raise ModelError(_("Nothing was typed."), hint=_("Type the path of a GGUF file."))
    if (shown := shown_address(wanted)) != wanted:
        raise ModelError(
            _("This is not the address of a server."), where=shown, hint=_("Write http://…")
        )
    try:
        file = paths.expanded(wanted).absolute()
        there = file.is_file()
    except (RuntimeError, ValueError, OSError) as error:
        raise ModelError(_("This is not a path: {why}.", why=error), where=wanted) from error
    if not there:
        raise ModelError(_("There is no such file."), where=file)
    return file_entry(file)


def file_entry(path: Path) -> Entry:
    """The entry of a model file: what its header says, and whether it fits into memory."""
    file = describe(path)
    facts = (
        human_bytes(file.bytes) if file.bytes else "",
        file.quantisation,
        _("{count} parameters", count=human_count(file.parameters)) if file.parameters else "",
        file.architecture,
    )
    fit, free = "", available_memory()
    if file.memory and free is not None:
        fit = _("needs {size} of {free}", size=human_bytes(file.memory), free=human_bytes(free))
    elif file.memory:
        fit = _("needs {size}", size=human_bytes(file.memory))
    return Entry(
        str(path),
        Kind.FILE,
        path.name,
        tuple(fact for fact in facts if fact),
        "" if file.problem else fit,
        file.problem,
    )


def human_count(n: int) -> str:
    """A number of parameters as a person reads it: 2.9 M, 8.0 B."""
    return f"{n / 1e9:.1f} B" if n >= 999_500_000 else f"{n / 1e6:.1f} M"
