"""Turns what was typed into a benchmark, a collection, an item and a setting."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.text.errors import DataError, NotFoundError
from tui.cli import completion
from tui.cli.output import say

if TYPE_CHECKING:
    from core.contract.benchmark import Benchmark
    from core.contract.collection import Collection
    from core.contract.question import Form, Scoring
    from core.runs.store import Store

BenchmarkArgument = Annotated[
    str,
    typer.Argument(
        metavar="BENCH",
        help="The benchmark, such as gita.",
        show_default=False,
        autocompletion=completion.benchmarks,
    ),
]
ItemArgument = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="An item's id, or a file that holds one item.",
        show_default=False,
        autocompletion=completion.items,
    ),
]
RunArgument = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="The run's id.",
        show_default=False,
        autocompletion=completion.runs,
    ),
]
DataOption = Annotated[
    Path | None,
    typer.Option("--data", help="A file or folder of items, instead of the bundled ones."),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Set a switch. May be given several times."),
]
ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        help="A GGUF file, “demo”, a server's URL, “person:NAME” or “replay:RUN”.",
        autocompletion=completion.models,
    ),
]


def _known_language(code: str | None) -> str | None:
    """Refuse a language that there is not, before anything else is done."""
    from core.text.language_codes import check_language

    if code is not None:
        check_language(code)
    return code


LangOption = Annotated[
    str | None,
    typer.Option(
        "--lang",
        help="The language of the screens: en or it; the environment's when left out.",
        callback=_known_language,
        autocompletion=completion.languages,
    ),
]
StoreOption = Annotated[
    Path | None, typer.Option("--store", help="The store of runs, instead of your own.")
]
FormOption = Annotated[
    str | None,
    typer.Option("--form", help="How questions are put: base (one text) or chat (turns)."),
]
ScoringOption = Annotated[
    str | None,
    typer.Option(
        "--scoring",
        help="How answers are read: log-likelihood or generated; as the benchmark prefers when "
        "left out.",
    ),
]
ShotsOption = Annotated[
    int, typer.Option("--shots", min=0, help="How many worked examples stand before a question.")
]
SeedOption = Annotated[int, typer.Option("--seed", help="Seed of the worked examples.")]
ShotRuleOption = Annotated[
    str, typer.Option("--shot-rule", help="How worked examples are drawn: random or varied.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def load_benchmark(name: str) -> Benchmark:
    """The benchmark called `name`; raises `NotFoundError`."""
    from core.contract import registry

    return registry.load(name)


def open_collection(benchmark: Benchmark, data: Path | None) -> tuple[Path, Collection]:
    """The bundled collection or the one at `data`, with a word about its defects on stderr."""
    from core.contract import registry

    path = data or benchmark.samples()
    collection = registry.open_collection(benchmark, path)
    if collection.errors:
        first = collection.errors[0]
        say(f"{len(collection.errors)} items could not be read; the first: {first}")
    if collection.repairs:
        say(f"{len(collection.repairs)} defects of {path} were repaired; b in the program tells.")
    return path, collection


def find_item(benchmark: Benchmark, item_id: str, data: Path | None) -> Any:
    """The item with an id, or the only item of the file of that name."""
    return find_item_in(benchmark, item_id, data)[1]


def find_item_in(benchmark: Benchmark, item_id: str, data: Path | None) -> tuple[Collection, Any]:
    """The item with an id, or the only item of the file of that name, and its collection."""
    _, collection = open_collection(benchmark, data)
    try:
        return collection, collection.item(collection.find(item_id))
    except NotFoundError:
        path = Path(item_id)
        if data is not None or not exists(path):
            raise
    _, single = open_collection(benchmark, path)
    if len(single) != 1:
        raise DataError(
            f"This holds {len(single)} items, so which one is meant is not known.",
            where=str(path),
            hint=f"Name one: {single.entry(0).id} --data {path}",
        )
    return single, single.item(0)


def recognised(path: Path) -> Benchmark | None:
    """The first installed benchmark that knows data by their beginning, which takes no time."""
    from core.contract import registry

    for benchmark in registry.loaded()[0]:
        if benchmark.recognises(path):
            return benchmark
    return None


def recognise(path: Path) -> tuple[Benchmark, Collection]:
    """The first installed benchmark that can open `path`, and what it opened.

    One that recognises its own data goes before those that would have to try. A benchmark whose
    package is broken is told on stderr. Raises `DataError` if none can.
    """
    from core.contract import registry

    tell_broken()
    first: DataError | None = None
    own = recognised(path)
    for benchmark in sorted(registry.loaded()[0], key=lambda each: each is not own):
        try:
            return benchmark, registry.open_collection(benchmark, path)
        except DataError as error:
            first = first or error
        except registry.BrokenBenchmarkError as error:
            say(str(error))
    raise first or DataError("No benchmark is installed that could read this.", where=str(path))


def tell_broken() -> None:
    """Say on stderr which installed benchmarks cannot be used, and why."""
    from core.contract import registry

    for error in registry.loaded()[1]:
        say(str(error))


def parse_form(text: str | None) -> Form | None:
    """The prompt form that was typed, None for the model's own; raises `NotFoundError`."""
    from core.contract.question import Form

    if text is None:
        return None
    try:
        return Form(text)
    except ValueError:
        raise NotFoundError(
            f"There is no prompt form “{text}”.", where="--form", hint="Write base or chat."
        ) from None


def parse_scoring(text: str | None) -> Scoring | None:
    """The way of reading answers that was typed, None for the benchmark's own.

    Raises `NotFoundError`.
    """
    from core.contract.question import Scoring

    offered = (Scoring.LOGLIKELIHOOD, Scoring.GENERATED)
    if text is None or text in offered:
        return None if text is None else Scoring(text)
    raise NotFoundError(
        f"There is no way of reading answers called “{text}”.",
        where="--scoring",
        hint=f"Write {' or '.join(offered)}.",
    )


def open_store(path: Path | None, *, create: bool) -> Store:
    """The store of runs that was named, or the person's own."""
    from core.files import paths
    from core.runs.store import Store

    return Store(path or paths.runs(), create=create)


def words(values: Sequence[str] | None) -> tuple[str, ...]:
    """The values of an option that may be given several times."""
    return tuple(values or ())


def exists(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        # A name longer than the file system takes is no file.
        return False
