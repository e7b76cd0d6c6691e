"""Recorded runs: made, listed, read as records, and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commonsense_tui.loaded_model import LoadedModel, chosen, store_path
from commonsense_tui.opened_items import OpenedCollection
from core.contract.question import Form, Scoring
from core.contract.summary import Figure, Summary
from core.exchange.exporters.document import ExportError
from core.exchange.exporters.verdict_table import COLUMNS, verdict_columns
from core.files import paths
from core.files.config import MOST_AT_ONCE, Config
from core.files.installation import command_to_add_extra
from core.layout.figures import draw_summary
from core.layout.plain_text import cells
from core.layout.rows import Row, plain
from core.models.protocol import Model
from core.runs.asked_repeats import AskedRepeats
from core.runs.asking import prepared
from core.runs.evaluation import Evaluation, Progress
from core.runs.planning import check_number, plan_for
from core.runs.questions import QuestionSource
from core.runs.records import Run
from core.runs.repeats import RepeatedFigures, repeated_figures
from core.runs.replay import conditions
from core.runs.shots import RANDOM, SEED
from core.runs.store import Store
from core.runs.summaries import summarise
from core.runs.under_way import usual_concurrency
from core.text.errors import NotFoundError, RunError, SettingError
from core.text.suggestions import suggestion

if TYPE_CHECKING:
    from pandas import DataFrame

_WIDTH = 100
"""Characters of a line of drawn figures."""
_TYPES = {
    "right": "boolean",
    "credit": "Float64",
    "seconds": "Float64",
    **dict.fromkeys(("prompt_tokens", "output_tokens", "settles_at"), "Int64"),
}
"""Columns of a frame of verdicts in which a value may be missing, and their types."""


def evaluate(
    model: LoadedModel,
    collection: OpenedCollection,
    store: str | Path | None = None,
    *,
    limit: int | None = None,
    shots: int = 0,
    seed: int = SEED,
    shot_rule: str = RANDOM,
    setting: Mapping[str, str] | None = None,
    form: Form | str | None = None,
    scoring: Scoring | str | None = None,
    prior: bool = False,
    permute: int = 1,
    seeds: int = 1,
    prompts: str | Path | None = None,
    concurrency: int | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> RecordedRun:
    """Ask a model a whole collection, and record every verdict in a store.

    The same call again continues the run and asks no question twice. An interrupt keeps what was
    answered. With `permute`, `seeds` or several wordings in `prompts` every repeat is a run of its
    own; the first is returned, and `RecordedRun.repeats` has the spread over them.

    Args:
        model: who is asked.
        collection: what it is asked about.
        store: an SQLite file, made if it is not there; by default the person's own.
        limit: ask only the first so many items; such figures are not comparable.
        shots: worked examples before each question.
        seed: of drawing them.
        shot_rule: "random" or "varied".
        setting: values of switches that are set on every item.
        form: "base" or "chat"; by default what suits the model.
        scoring: "log-likelihood" or "generated"; by default what suits the model and form.
        prior: also ask how likely each option is without a question, to hold its score against it.
        permute: ask with the options in so many orders, the benchmark's own and drawn ones.
        seeds: ask so many times with other worked examples, drawn with `seed` and those after it.
        prompts: a YAML file with own wordings of the prompts, as `prompts BENCH` prints one.
        concurrency: how many questions are asked at once; by default 8 of a server, else 1.
        on_progress: called after every verdict, and once a second where several questions are
            asked at once, in another thread.

    Raises `ModelError`, `RunError`, `SettingError`, `DataError` and `ConfigError`.
    """
    _check_opened(model, collection)
    if concurrency is not None:
        check_number("concurrency", concurrency, 1, MOST_AT_ONCE)
    path = store_path(store)
    wordings = None if prompts is None else paths.expanded(prompts)
    repeats = AskedRepeats(permute, seeds, wordings)
    repeats.check(collection.benchmark, shots, seed)
    repeats.check_model(model.info)
    sources = repeats.sources(collection.benchmark, collection.collection, setting, limit)

    async def ask(asked: Model, opened: Store, source: QuestionSource, drawn: int) -> Run:
        used, reading = await prepared(asked, chosen(Form, form), chosen(Scoring, scoring))
        plan = plan_for(
            asked,
            source,
            collection.path,
            form=used,
            shots=shots,
            seed=drawn,
            shot_rule=shot_rule,
            scoring=reading,
        )
        at_once = concurrency or usual_concurrency(asked, Config().concurrency)
        evaluation = Evaluation(opened, plan, asked, source, prior=prior, concurrency=at_once)
        async with aclosing(evaluation.steps()) as steps:
            async for progress in steps:
                if on_progress is not None:
                    on_progress(progress)
        return evaluation.run

    async def ask_all(asked: Model) -> Run:
        with Store(path) as opened:
            runs = [await ask(asked, opened, *each) for each in repeats.each(sources, seed)]
        return runs[0]

    return RecordedRun(model.run(ask_all), path)


def _check_opened(model: object, collection: object) -> None:
    """Raise `SettingError` where a name stands in the place of what it names."""
    if not isinstance(model, LoadedModel):
        raise SettingError(
            f"This is no loaded model: {model!r}.",
            where="model",
            hint='Load it first: load_model("demo").',
        )
    if not isinstance(collection, OpenedCollection):
        raise SettingError(
            f"This is no opened collection: {collection!r}.",
            where="collection",
            hint='Open it first: open("gita").',
        )


def runs(store: str | Path | None = None) -> list[RecordedRun]:
    """The runs of a store, by default the person's own, the oldest first; raises `RunError`."""
    path = store_path(store)
    with Store(path, create=False) as opened:
        return [RecordedRun(run, path) for run in opened.runs()]


def common_store(among: Sequence[RecordedRun]) -> Path:
    """The store that runs are in; raises `RunError` where they are in several."""
    first, *others = among
    for run in others:
        if run.store.absolute() != first.store.absolute():
            raise RunError(
                "These runs are in two stores.",
                where=run.store,
                hint="Evaluate both into one store.",
            )
    return first.store


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """A recorded run and the store that it is in."""

    record: Run
    """Its plan, its state, and its numbers of items and verdicts when it was looked up."""
    store: Path

    @property
    def id(self) -> str:
        """Its id in the store."""
        return self.record.id

    def verdicts(self) -> list[dict[str, Any]]:
        """A record for every question, in run order, with the columns of `runs export`.

        `scores` are log-likelihoods in nats, one an option; `picked` and `golds` are indices of
        options. Raises `RunError` for a damaged one.
        """
        with Store(self.store, create=False) as opened:
            return [
                dict(zip(COLUMNS, row, strict=True))
                for columns in verdict_columns(opened, [opened.run(self.id)])
                for row in zip(*columns, strict=True)
            ]

    def to_pandas(self) -> DataFrame:
        """The verdicts as a data frame, one row each; needs the extra `notebook`."""
        return data_frame(self.verdicts(), COLUMNS).astype(_TYPES)

    def figures(self, profile: str = "") -> RunFigures:
        """The benchmark's figures under a scoring profile, by default its first.

        Raises `NotFoundError` for an unknown profile.
        """
        with Store(self.store, create=False) as opened:
            return RunFigures(self.id, summarise(opened, opened.run(self.id), profile))

    def repeats(self, profile: str = "") -> list[RunRepeats]:
        """The finished repeats of the run that its store has, with the figures of each.

        First those in other orders of the options, then those with other seeds, then those in other
        words, then all combinations of these; empty where there are none. Raises `NotFoundError`
        for an unknown profile.
        """
        with Store(self.store, create=False) as opened:
            repeated = repeated_figures(opened, opened.run(self.id), profile)
        return [RunRepeats(each, self.store) for each in repeated]

    def __repr__(self) -> str:
        plan = self.record.plan
        about = f"{plan.model} on {plan.benchmark}, {conditions(plan)}, {self.record.state}"
        return f"<run {self.id}: {about}>"


@dataclass(frozen=True, slots=True)
class RunRepeats:
    """Runs that differ in seed, order or wording alone, and how far their figures do."""

    repeated: RepeatedFigures
    """The figures of each of the runs."""
    store: Path

    @property
    def title(self) -> str:
        """What the runs differ in: "3 orders of the options"."""
        return self.repeated.repeats.title

    @property
    def runs(self) -> list[RecordedRun]:
        """The runs, in the order in which they were asked."""
        return [RecordedRun(run, self.store) for run in self.repeated.repeats.runs]

    def spread(self) -> list[dict[str, Any]]:
        """A record for every figure that at least two of the runs have.

        `values` are those of `runs`, None where a run has no such figure; `sd` is the standard
        deviation of a sample.
        """
        return [
            {
                "figure": name,
                "mean": spread.mean,
                "sd": spread.sd,
                "low": min(spread.values),
                "high": max(spread.values),
                "repeats": len(spread.values),
                "values": list(self.repeated.values[name]),
            }
            for name, spread in self.repeated.spreads.items()
        ]

    def to_pandas(self) -> DataFrame:
        """The spread as a data frame; needs the extra `notebook`."""
        columns = ("figure", "mean", "sd", "low", "high", "repeats", "values")
        return data_frame(self.spread(), columns)

    def __repr__(self) -> str:
        return f"<{self.title}: {', '.join(run.id for run in self.runs)}>"


@dataclass(frozen=True, slots=True)
class RunFigures:
    """The figures of a run, by position or name. A notebook draws them."""

    run: str
    summary: Summary
    """The figures with their tables, and the notes that belong to every quotation of them."""

    def __len__(self) -> int:
        return len(self.summary.figures)

    def __getitem__(self, key: int | str) -> Figure:
        """A figure; raises `NotFoundError` for an unknown name, and `IndexError`."""
        if isinstance(key, int):
            return self.summary.figures[key]
        named = {figure.name: figure for figure in self.summary.figures}
        if key not in named:
            raise NotFoundError(
                f"There is no figure “{key}”.",
                where=f"run {self.run}",
                hint=suggestion("Figures", named, key),
            )
        return named[key]

    def __iter__(self) -> Iterator[Figure]:
        return iter(self.summary.figures)

    def to_pandas(self) -> DataFrame:
        """A row for every figure with its count, denominator, 95 % interval and baselines."""
        columns = ("figure", "value", "right", "n", "low", "high", "baselines", "note")
        records = []
        for each in self:
            interval = each.interval or (None, None)
            baselines = {name: baseline.value for name, baseline in each.baselines.items()}
            values = (each.name, each.value, each.right, each.n, *interval, baselines, each.note)
            records.append(dict(zip(columns, values, strict=True)))
        types = {"right": "Int64", **dict.fromkeys(("value", "low", "high"), "Float64")}
        return data_frame(records, columns).astype(types)

    def __str__(self) -> str:
        return plain(self._rows())

    def __repr__(self) -> str:
        return f"<figures of {self.run}: {', '.join(figure.name for figure in self)}>"

    def _rows(self) -> list[Row]:
        return draw_summary(self.summary, _WIDTH, cells)

    def _repr_html_(self) -> str:
        from core.exchange.exporters.rows_html import rows_html

        return rows_html(self._rows())


def data_frame(records: Sequence[Mapping[str, object]], columns: Sequence[str]) -> DataFrame:
    """Records as a frame; raises `ExportError` where pandas is not installed."""
    try:
        from pandas import DataFrame
    except ImportError as error:
        raise ExportError(
            "Data frames need pandas, which is not installed.",
            hint=command_to_add_extra("notebook"),
        ) from error
    return DataFrame(list(records), columns=list(columns))
