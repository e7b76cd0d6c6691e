"""Exported suites, really run by lm-evaluation-harness and Inspect AI, against own runs."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

import commonsense_tui
from commonsense_tui.event_loop import EventLoopThread
from commonsense_tui.loaded_model import LoadedModel
from core.contract.question import Scoring, Verdict
from core.models.resolver import demo_file, load_model
from core.runs.records import Run
from core.runs.store import Store
from core.runs.summaries import summary_of
from tests.cli.support import ok
from tests.docs.test_doc_commands import blocks_of as blocks
from tests.exchange.suites.conftest import ROOT, Engines, serving

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("demo_model")]

BENCHMARKS = ("gita", "com2", "accord", "abspyramid")
LIMIT = ("--limit", "4")


def recorded(store: Path, run: str) -> tuple[Run, list[Verdict]]:
    with Store(store, create=False) as opened:
        return opened.run(run), list(opened.verdicts(run))


def known(verdict: Verdict) -> tuple[object, ...]:
    """All of a verdict but the likelihoods; one client of the harness strips what was written."""
    return (
        verdict.layer, verdict.item, verdict.setting, verdict.options, verdict.answer,
        verdict.answers, verdict.gold, verdict.golds, verdict.status, verdict.scoring,
        verdict.text.strip(), dict(verdict.tags), verdict.digest, verdict.order,
    )  # fmt: skip


def assert_same_run(store: Path, own: str, imported: str) -> None:
    """Verdicts in the same order, figures and gates of both runs are equal."""
    own_run, own_verdicts = recorded(store, own)
    imported_run, imported_verdicts = recorded(store, imported)
    assert own_verdicts
    assert list(map(known, imported_verdicts)) == list(map(known, own_verdicts))
    figures, others = (
        summary_of(run, verdicts).figures
        for run, verdicts in ((own_run, own_verdicts), (imported_run, imported_verdicts))
    )
    assert others == figures
    for ours, theirs in zip(own_verdicts, imported_verdicts, strict=True):
        assert above_first(theirs) == pytest.approx(above_first(ours), abs=1e-4)


def above_first(verdict: Verdict) -> list[float]:
    """How much likelier each option is than the first.

    Where a prompt ends in a line break, own runs score it with each option, as the harness does
    with models that it loads itself; its client of a server does not, which adds the same to all.
    """
    sums = [score.logprob for score in verdict.scores]
    return [each - sums[0] for each in sums]


def own_run(store: Path, benchmark: str, *words: str) -> str:
    done = ok("evaluate", benchmark, *words, *LIMIT, "--store", store, "--json")
    return str(done.json["run"])


def exact_run(store: Path, benchmark: str, model: Path) -> str:
    """A run over the first items whose keys and values are kept as 32-bit numbers."""
    loop = EventLoopThread()
    with LoadedModel(loop, loop.run(load_model(str(model), exact=True))) as loaded:
        opened = commonsense_tui.open(benchmark)
        return commonsense_tui.evaluate(loaded, opened, store, limit=int(LIMIT[1]), form="base").id


def harness_logs(engines: Engines, suite: Path, benchmark: str, *model: str) -> Path:
    logs = engines.home / "logs"
    engines.run(
        "lm_eval", "run", *model, "--include_path", suite, "--tasks", f"commonsense_{benchmark}",
        "--log_samples", "--output_path", logs,
    )  # fmt: skip
    return logs


def gguf(address: str) -> tuple[str, ...]:
    """The harness's client that has log-probabilities of a prompt from a server."""
    return ("--model", "gguf", "--model_args", f"base_url={address},model=demo")


def inspect_log(engines: Engines, suite: Path, address: str, *words: str) -> Path:
    logs = engines.home / "inspect"
    engines.run(
        "inspect", "eval", "task.py", "--model", "openai-api/served/demo",
        "--model-base-url", f"{address}/v1", "--log-dir", logs, "--display", "plain",
        "--max-connections", "1", *words, cwd=suite,
    )  # fmt: skip
    (log,) = logs.glob("*.eval")
    return log


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_the_harness_finds_what_an_own_run_finds(
    benchmark: str, engines: Engines, unrounded: Path, tmp_path: Path
) -> None:
    store, suite = tmp_path / "runs.db", tmp_path / "suite"
    own = exact_run(store, benchmark, unrounded)
    ok("export", "lm-eval", benchmark, "--to", suite, *LIMIT)
    with serving(model=unrounded) as address:
        logs = harness_logs(engines, suite, benchmark, *gguf(address))
    imported = ok("import", "lm-eval", logs, "--store", store, "--json").json
    assert imported["model"] == "demo"
    assert not imported["not_imported"]
    assert not [
        note for note in imported["notes"] if "otherwise" in note or "not the suite" in note
    ]
    assert_same_run(store, own, imported["run"])


def test_a_gated_layer_without_samples_is_told_and_has_no_figure(
    engines: Engines, served: str, tmp_path: Path
) -> None:
    store, suite = tmp_path / "runs.db", tmp_path / "suite"
    ok("export", "lm-eval", "gita", "--to", suite, *LIMIT)
    logs = harness_logs(engines, suite, "gita", *gguf(served))
    whole = ok("import", "lm-eval", logs, "--store", store, "--json").json["run"]
    bare = tmp_path / "bare"
    shutil.copytree(logs, bare)
    for samples in bare.rglob("samples_*"):
        samples.unlink()
    imported = ok("import", "lm-eval", bare, "--store", store, "--json").json
    notes = " ".join(imported["notes"])
    assert "story_class has no samples (--log_samples writes them): only its total" in notes
    assert "conflict_detec has no samples" in notes
    assert "no figure is made" in notes
    run, verdicts = recorded(store, imported["run"])
    assert verdicts == []
    _, of_whole = recorded(store, whole)
    right = sum(v.right is True for v in of_whole if v.layer == "story_class")
    assert {layer: (total.right, total.n) for layer, total in run.totals.items()} == {
        "story_class": (right, 4)
    }


def test_generated_answers_of_the_harness_are_read_as_in_an_own_run(
    engines: Engines, served: str, tmp_path: Path
) -> None:
    store, suite = tmp_path / "runs.db", tmp_path / "suite"
    own = own_run(store, "gita", "--model", served, "--form", "base", "--concurrency", "1")
    ok("export", "lm-eval", "gita", "--to", suite, "--scoring", "generated", *LIMIT)
    logs = harness_logs(
        engines, suite, "gita", "--model", "local-completions", "--model_args",
        f"base_url={served}/v1/completions,model=demo,tokenizer_backend=None,num_concurrent=1",
    )  # fmt: skip
    imported = ok("import", "lm-eval", logs, "--store", store, "--json").json
    assert any("not say which were cut" in note for note in imported["notes"])
    assert not [note for note in imported["notes"] if "otherwise" in note]
    assert_same_run(store, own, imported["run"])
    _, verdicts = recorded(store, own)
    assert {verdict.scoring for verdict in verdicts} == {Scoring.GENERATED}


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_inspect_finds_what_an_own_run_finds(
    benchmark: str, engines: Engines, served: str, tmp_path: Path
) -> None:
    store, suite = tmp_path / "runs.db", tmp_path / "suite"
    own = own_run(store, benchmark, "--model", served, "--form", "chat", "--concurrency", "1")
    ok("export", "inspect", benchmark, "--to", suite, *LIMIT)
    log = inspect_log(engines, suite, served)
    imported = ok("import", "inspect", log, "--store", store, "--json").json
    assert imported["model"] == "openai-api/served/demo"
    assert_same_run(store, own, imported["run"])


def test_the_log_of_a_run_that_ended_in_an_error_has_what_was_answered(
    engines: Engines, tmp_path: Path
) -> None:
    suite = tmp_path / "suite"
    ok("export", "inspect", "gita", "--to", suite, *LIMIT)
    with serving("4") as address:
        log = inspect_log(engines, suite, address, "--max-samples", "1")
    imported = ok("import", "inspect", log, "--store", tmp_path / "runs.db", "--json").json
    notes = " ".join(imported["notes"])
    assert "status is “error”" in notes
    assert "It ended in an error: ModelGenerateError" in notes
    assert "Samples that ended in an error have no answer" in notes
    assert 1 <= imported["verdicts"] <= 4


def test_every_command_of_the_page_runs(
    engines: Engines, served: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (ROOT / "docs" / "howto" / "engines.md").read_text("utf-8")
    text = "".join(block for kind, block, _ in blocks(page) if kind == "sh")
    assert text.count("\n") > 8
    shutil.copy(demo_file(), engines.home / "MODEL.gguf")
    monkeypatch.chdir(engines.home)
    run = ""
    for line in text.replace("http://127.0.0.1:8000", served).splitlines():
        program, *words = shlex.split(line)
        if program == "cd":
            monkeypatch.chdir(words[0])
        elif program == "commonsense-tui":
            words = [run if word == "RUN" else word for word in words]
            words = [str(next(Path().glob(word))) if "*" in word else word for word in words]
            done = ok(*words)
            run = done.out.strip() if words[0] == "import" else run
        else:
            engines.run(program, *words, cwd=Path.cwd())
    assert "story_class" in Path("gita.log").read_text("utf-8")
