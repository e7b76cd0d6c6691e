"""What an exported suite holds, and what is made of logs of one."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from core.answers.scoring import reply_names
from core.contract import registry
from core.contract.question import Form, Scoring
from core.exchange.importers import inspect_logs, lm_eval
from core.exchange.suites.document import document_from, document_of
from core.runs.questions import Examples, QuestionSource, layer_questions
from core.text.errors import DataError, RunError
from tests.answers import corpora
from tests.cli.support import ok, run
from tests.exchange.importers.test_inspect_logs import archive

GITA = registry.load("gita")


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def harness_suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suites") / "harness"
    ok("export", "lm-eval", "gita", "--to", folder, "--shots", "2", "--limit", "6")
    return folder


@pytest.fixture(scope="module")
def inspect_suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suites") / "inspect"
    ok("export", "inspect", "gita", "--to", folder, "--shots", "2", "--limit", "6")
    return folder


# -- what is written ---------------------------------------------------------------------------


def asked(layer: str, form: Form) -> list[Any]:
    """The prompts of an own run without gates."""
    source = QuestionSource(GITA, registry.open_collection(GITA, GITA.samples()), limit=6)
    found = next(each for each in GITA.layers if each.id == layer)
    questions = [
        source.full_question(pending, found)
        for pending in layer_questions(source, found, None, Examples(2, "random", 1234))
    ]
    return [q.base() if form is Form.BASE else q.chat(system=True) for q in questions]


@pytest.mark.parametrize("layer", [layer.id for layer in GITA.layers])
def test_prompts_are_those_of_an_own_run(
    layer: str, harness_suite: Path, inspect_suite: Path
) -> None:
    documents = rows(harness_suite / f"commonsense_gita_{layer}.jsonl")
    assert [document["prompt"] for document in documents] == asked(layer, Form.BASE)
    samples = [
        sample
        for sample in rows(inspect_suite / "samples.jsonl")
        if sample["metadata"]["layer"] == layer
    ]
    turns = [[(turn["role"], turn["content"]) for turn in sample["input"]] for sample in samples]
    assert turns == [
        [(turn.role, turn.content) for turn in prompt] for prompt in asked(layer, Form.CHAT)
    ]


def test_the_metadata_tell_the_gates(harness_suite: Path) -> None:
    facts = json.loads((harness_suite / "suite.json").read_text("utf-8"))
    assert {task["layer"]: task["gated_by"] for task in facts["tasks"]} == {
        "story_class": "",
        "conflict_detec": "story_class",
        "physical_state": "conflict_detec",
    }
    task = (harness_suite / "commonsense_gita_physical_state.yaml").read_text("utf-8")
    assert "gated_by: conflict_detec" in task


@pytest.mark.parametrize("engine", ["lm-eval", "inspect"])
def test_only_with_worked_examples_and_gates_prompts_are_said_not_to_be_those_of_an_own_run(
    engine: str, tmp_path: Path
) -> None:
    said = "Worked examples of gated layers (conflict_detec, physical_state) are drawn from all"
    for benchmark, shots, is_said in (("gita", "2", True), ("gita", "0", False), ("com2", "2", 0)):
        folder = tmp_path / f"{benchmark}{shots}"
        ran = ok(
            "export", engine, benchmark, "--to", folder, "--shots", shots, "--limit", "6"
        )  # fmt: skip
        facts = json.loads((folder / "suite.json").read_text("utf-8"))
        assert (said in ran.err) is bool(is_said)
        assert (said in " ".join(facts.get("notes", []))) is bool(is_said)


def hostile(tmp_path: Path, text: str) -> Path:
    """GITA's stories with a text in the place of every sentence's first word."""
    stories = json.loads(Path(GITA.samples()).read_text("utf-8"))

    def replaced(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: replaced(part, name) for name, part in value.items()}
        if isinstance(value, list):
            return [replaced(part, key) for part in value]
        return f"{text} {value}" if key == "sentences" and isinstance(value, str) else value

    file = tmp_path / "stories.json"
    file.write_text(json.dumps(replaced(stories)), "utf-8")
    return file


@pytest.mark.parametrize("engine", ["lm-eval", "inspect"])
def test_no_text_of_an_item_is_code_template_or_yaml(engine: str, tmp_path: Path) -> None:
    payload = '{{ 7 * 7 }} !function os.system """ {% raw %} __import__(\'os\')'
    data = hostile(tmp_path, payload)
    plain, other = tmp_path / "plain", tmp_path / "other"
    ok("export", engine, "gita", "--to", plain, "--limit", "6")
    ok("export", engine, "gita", "--to", other, "--limit", "6", "--data", data)
    names = {file.relative_to(other) for file in other.rglob("*") if file.is_file()}
    told = 0
    for name in names:
        content = (other / name).read_text("utf-8")
        if name.suffix == ".jsonl":
            told += content.count("7 * 7")
            continue
        lines = [line for line in content.splitlines() if "collection" not in line]
        before = (plain / name).read_text("utf-8").splitlines()
        assert lines == [line for line in before if "collection" not in line], name
    assert told > 6


def test_yaml_has_no_tags_but_those_of_our_functions(harness_suite: Path) -> None:
    tags = {
        event.tag: event.value
        for file in harness_suite.glob("*.yaml")
        for event in yaml.parse(file.read_text("utf-8"))
        if getattr(event, "tag", None)
    }
    assert set(tags) == {"!function"}
    assert tags["!function"] in {"suite.load", "suite.choice"}


@pytest.fixture
def exported_rules(inspect_suite: Path) -> Iterator[ModuleType]:
    name = "exported_rules"
    folder = inspect_suite / "rules"
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    package = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    yield importlib.import_module(f"{name}.reader")
    for module in [each for each in sys.modules if each.split(".")[0] == name]:
        del sys.modules[module]


def test_the_exported_rules_read_as_the_program_does(exported_rules: ModuleType) -> None:
    folder = Path(corpora.__file__).parent
    kinds = json.loads((folder / "questions.json").read_text("utf-8"))
    corpus = "first_replies.jsonl"
    replies = corpora.read_corpus(corpus)
    assert len(replies) > 300
    for reply in replies[::5]:
        question = corpora.question_of(reply.kind, kinds[reply.kind])
        if question.open:
            continue
        named = reply_names(question)
        reading = exported_rules.read(
            reply.text,
            list(named.names),
            multiple=question.multiple,
            complete=True,
            lettered=named.lettered,
        )
        assert tuple(reading.picked) == reply.program, reply.text


def test_the_exported_rules_import_nothing_of_the_program(inspect_suite: Path) -> None:
    for file in inspect_suite.rglob("*.py"):
        assert "import core" not in file.read_text("utf-8")
        assert "from core" not in file.read_text("utf-8")


def test_a_question_comes_back_from_its_document() -> None:
    source = QuestionSource(GITA, registry.open_collection(GITA, GITA.samples()), limit=3)
    question = source.question(1, GITA.layers[0])
    assert question is not None
    document = document_of(GITA, question, 1)
    assert (document.item, document.layer, document.gold) == (question.item, "story_class", 0)
    assert document.digest == question.digest()


@pytest.mark.parametrize(
    "change",
    [
        {"commonsense_suite": 2}, {"gold": 9}, {"golds": [7]}, {"choices": []}, {"digest": ""},
        {"names": ["one"]}, {"tags": 3}, {"choices": [1, 2]},
    ],
)  # fmt: skip
def test_a_changed_document_is_refused(change: dict[str, Any], harness_suite: Path) -> None:
    fields = rows(harness_suite / "commonsense_gita_story_class.jsonl")[0]
    document_from(fields)
    with pytest.raises(ValueError, match=r"\w"):
        document_from(fields | change)


def test_a_folder_that_is_no_suite_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("mine")
    ran = run("export", "lm-eval", "gita", "--to", tmp_path, "--force", "--limit", "2")
    assert ran.code == 2
    assert "not empty" in ran.err
    assert [file.name for file in tmp_path.iterdir()] == ["kept.txt"]


def test_a_suite_is_overwritten_on_request_only(tmp_path: Path) -> None:
    folder = tmp_path / "suite"
    words = ("export", "inspect", "accord", "--to", folder, "--limit", "2")
    ok(*words)
    (folder / "old.txt").write_text("old")
    assert run(*words).code == 2
    assert (folder / "old.txt").is_file()
    ok(*words, "--force")
    assert not (folder / "old.txt").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["suite"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("lm-eval", "gita", "0"), "whole benchmark"),
        (("inspect", "gita", "--scoring", "log-likelihood"), "measures no likelihoods"),
        (("lm-eval", "gita", "--model", "demo"), "no item is asked"),
        (("html", "gita"), "holds one item"),
        (("html", "gita", "0", "--shots", "2"), "Only a benchmark"),
    ],
)
def test_what_does_not_fit_together_is_told(
    words: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    ran = run("export", *words, "--to", tmp_path / "x")
    assert (ran.code, said in ran.err) == (2, True), ran.err
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("engine", ["lm-eval", "inspect"])
def test_items_about_which_nothing_is_asked_make_no_suite(engine: str, tmp_path: Path) -> None:
    graph = tmp_path / "graph.yaml"
    graph.write_text("id: one\nevents:\n  rain: {text: It rains}\nlinks: []\n")
    ran = run("export", engine, "com2", "--data", graph, "--to", tmp_path / "x")
    assert ran.code == 2
    assert "No layer asks anything" in ran.err
    assert list(tmp_path.iterdir()) == [graph]


# -- logs of the harness -----------------------------------------------------------------------

Choose = Callable[[dict[str, Any]], int]


def harness_logs(suite: Path, folder: Path, choose: Choose, **change: Any) -> Path:
    """Logs as the harness writes them, of a model that takes the option that `choose` names."""
    results: dict[str, Any] = {"results": {}, "configs": {}, "n-samples": {}, "model_name": "m"}
    folder.mkdir()
    for task in json.loads((suite / "suite.json").read_text("utf-8"))["tasks"]:
        name = task["task"]
        documents = rows(suite / f"{name}.jsonl")
        samples = []
        for number, document in enumerate(documents):
            picked = choose(document)
            requests = {
                f"gen_args_{i}": {"arg_0": document["prompt"], "arg_1": f" {option}"}
                for i, option in enumerate(document["choices"])
            }
            sums = [[str(-float(i != picked)), "False"] for i in range(len(document["choices"]))]
            samples.append(
                {
                    "doc_id": number,
                    "doc": document,
                    "arguments": requests,
                    "filtered_resps": sums,
                    "filter": "none",
                    "acc": float(picked == document["gold"]),
                }
                | change
            )
        lines = "".join(json.dumps(sample) + "\n" for sample in samples)
        (folder / f"samples_{name}_2026.jsonl").write_text(lines, "utf-8")
        right = sum(sample["acc"] for sample in samples)
        results["results"][name] = {"acc,none": right / len(samples)}
        results["n-samples"][name] = {"effective": len(samples)}
        config = yaml.load((suite / f"{name}.yaml").read_text("utf-8"), _Loader)
        results["configs"][name] = {"metadata": config["metadata"], "num_fewshot": 0}
    (folder / "results_2026.json").write_text(json.dumps(results), "utf-8")
    return folder


class _Loader(yaml.SafeLoader):
    pass


_Loader.add_constructor("!function", lambda loader, node: str(node.value))


def test_gates_are_applied_to_the_logs_of_the_harness(harness_suite: Path, tmp_path: Path) -> None:
    wrong = {"0-O0"}

    def choose(document: dict[str, Any]) -> int:
        gold = int(document["gold"])
        if document["item"] in wrong and document["layer"] == "story_class":
            return (gold + 1) % len(document["choices"])
        return gold

    imported = lm_eval.read(harness_logs(harness_suite, tmp_path / "logs", choose))
    layers = {
        layer.id: [v.item for v in imported.verdicts if v.layer == layer.id]
        for layer in GITA.layers
    }
    assert len(layers["story_class"]) == 6
    assert "0-O0" not in layers["conflict_detec"] + layers["physical_state"]
    assert layers["conflict_detec"] == ["0-C0", "1-O0", "1-C0"]
    notes = [note for note in imported.notes if "left out" in note]
    assert [note.split(":")[1] for note in notes] == [" 1 of 4 answers are left out."] * 2
    assert any("are not those of an own run" in note for note in imported.notes)
    assert (imported.shots, imported.shot_rule, imported.seed) == (2, "random", 1234)
    assert (imported.limit, imported.model, imported.form) == (6, "m", Form.BASE)
    first = imported.verdicts[0]
    prompt = asked("story_class", Form.BASE)[0]
    assert imported.prompts[0] == hashlib.sha256(prompt.encode()).hexdigest()
    assert first.scoring is Scoring.LOGLIKELIHOOD


def test_answers_that_the_log_judges_otherwise_are_counted(
    harness_suite: Path, tmp_path: Path
) -> None:
    logs = harness_logs(harness_suite, tmp_path / "logs", lambda d: int(d["gold"]), acc=0.0)
    notes = lm_eval.read(logs).notes
    assert sum("judges" in note and "otherwise" in note for note in notes) == 3


def test_prompts_that_the_harness_changed_are_counted(harness_suite: Path, tmp_path: Path) -> None:
    logs = harness_logs(harness_suite, tmp_path / "logs", lambda d: int(d["gold"]))
    samples = next(logs.glob("samples_commonsense_gita_story_class*"))
    lines = samples.read_text("utf-8").splitlines()
    first = json.loads(lines[0])
    for request in first["arguments"].values():
        request["arg_0"] = "Be brief. " + request["arg_0"]
    samples.write_text("\n".join([json.dumps(first), *lines[1:]]), "utf-8")
    assert any("1 of 6 prompts are not the suite's" in note for note in lm_eval.read(logs).notes)


def test_logs_of_two_suites_in_one_folder_are_refused(harness_suite: Path, tmp_path: Path) -> None:
    other = tmp_path / "accord"
    ok("export", "lm-eval", "accord", "--to", other, "--limit", "2")
    logs = tmp_path / "logs"
    logs.mkdir()
    harness_logs(harness_suite, logs / "one", lambda d: int(d["gold"]))
    harness_logs(other, logs / "two", lambda d: int(d["gold"]))
    with pytest.raises(DataError, match="suites of 2 benchmarks"):
        lm_eval.read(logs)


def test_a_filter_that_was_not_taken_is_named(harness_suite: Path, tmp_path: Path) -> None:
    logs = harness_logs(harness_suite, tmp_path / "logs", lambda d: int(d["gold"]))
    samples = next(logs.glob("samples_commonsense_gita_story_class*"))
    lines = samples.read_text("utf-8").splitlines()
    again = [json.dumps(json.loads(line) | {"filter": "strict"}) for line in lines]
    samples.write_text("\n".join([*lines, *again]), "utf-8")
    imported = lm_eval.read(logs)
    assert any("under the filter “none”; left out: strict" in note for note in imported.notes)
    assert sum(v.layer == "story_class" for v in imported.verdicts) == 6


# -- logs of Inspect ---------------------------------------------------------------------------


def inspect_log(suite: Path, file: Path, reply: str, **change: Any) -> Path:
    """A log as Inspect writes it, in which every sample has the same reply."""
    facts = json.loads((suite / "suite.json").read_text("utf-8"))
    header = {
        "status": "success",
        "eval": {"task": "commonsense_gita", "model": "served/m", "metadata": facts},
        **change,
    }
    members: dict[str, Any] = {"header.json": header}
    # Inspect writes samples as they end.
    for sample in reversed(rows(suite / "samples.jsonl")):
        members[f"samples/{sample['id']}_epoch_1.json"] = {
            **sample,
            "epoch": 1,
            "output": {
                "choices": [{"message": {"content": reply}, "stop_reason": "stop"}],
                "usage": {"output_tokens": 3},
            },
            "scores": {"commonsense_reading": {"value": "I", "answer": reply}},
        }
    return archive(file, members)


def test_the_log_of_a_suite_is_a_run_of_its_benchmark(inspect_suite: Path, tmp_path: Path) -> None:
    imported = inspect_logs.read(inspect_log(inspect_suite, tmp_path / "l.eval", "It is false."))
    assert (imported.benchmark, imported.model, imported.form) == ("gita", "served/m", Form.CHAT)
    stories = [v for v in imported.verdicts if v.layer == "story_class"]
    assert [v.item for v in stories] == ["0", "0-O0", "0-C0", "1", "1-O0", "1-C0"]
    assert [v.right for v in stories] == [False, True, True, False, True, True]
    assert [v.item for v in imported.verdicts if v.layer == "conflict_detec"] == [
        "0-O0", "0-C0", "1-O0", "1-C0",
    ]  # fmt: skip
    assert {v.output_tokens for v in imported.verdicts} == {3}
    assert any("story_class: the log judges 4" in note for note in imported.notes)


def test_the_log_of_a_suite_has_its_own_temperature_and_limit(
    inspect_suite: Path, tmp_path: Path
) -> None:
    facts = json.loads((inspect_suite / "suite.json").read_text("utf-8"))
    header = {
        "eval": {"model": "m", "metadata": facts, "config": {"limit": 2}},
        "plan": {"config": {"temperature": 0.5}},
    }
    imported = inspect_logs.read(inspect_log(inspect_suite, tmp_path / "l.eval", "false", **header))
    assert (imported.limit, imported.sampling.temperature) == (2, 0.5)
    # The suite's seed is that of its worked examples.
    assert imported.seed == 1234
    assert "Seed with which answers were drawn: unknown." in imported.notes


def test_a_log_of_a_gated_layer_alone_says_why_no_answer_counts(
    harness_suite: Path, tmp_path: Path
) -> None:
    logs = harness_logs(harness_suite, tmp_path / "logs", lambda d: int(d["gold"]))
    for layer in ("story_class", "physical_state"):
        next(logs.glob(f"samples_commonsense_gita_{layer}*")).unlink()
    imported = lm_eval.read(logs)
    assert not imported.verdicts
    said = "were right in story_class, to which this log has no answers: none of its 4 counts."
    assert any(said in note for note in imported.notes)


def test_an_error_before_any_answer_has_its_own_hint(inspect_suite: Path, tmp_path: Path) -> None:
    facts = json.loads((inspect_suite / "suite.json").read_text("utf-8"))
    header = {
        "status": "error",
        "error": {"message": "the server\n\x1b[31mis gone"},
        "eval": {"model": "m", "metadata": facts},
    }
    with pytest.raises(RunError, match="ended in an error: the server") as raised:
        inspect_logs.read(archive(tmp_path / "log.eval", {"header.json": header}))
    assert "eval-retry" in raised.value.hint


def test_a_log_without_samples_has_the_totals_of_layers_without_a_gate(
    inspect_suite: Path, tmp_path: Path
) -> None:
    facts = json.loads((inspect_suite / "suite.json").read_text("utf-8"))
    metrics = {"story_class": {"value": 0.5}, "conflict_detec": {"value": 0.25}}
    header = {
        "status": "success",
        "eval": {"model": "m", "metadata": facts},
        "results": {"scores": [{"name": "commonsense_reading", "metrics": metrics}]},
    }
    imported = inspect_logs.read(archive(tmp_path / "log.eval", {"header.json": header}))
    assert {layer: (t.right, t.n) for layer, t in imported.totals.items()} == {
        "story_class": (3, 6)
    }
    assert any("Inspect counts 1 of 4 right over all items" in note for note in imported.notes)


@pytest.mark.parametrize(
    "change", [{"seed": 2**70}, {"shots": -1}, {"shot_rule": "\x1b[31m"}, {"limit": "all"}]
)
def test_facts_that_cannot_be_are_refused(
    change: dict[str, Any], inspect_suite: Path, tmp_path: Path
) -> None:
    log = inspect_log(inspect_suite, tmp_path / "log.eval", "true")
    facts = json.loads((inspect_suite / "suite.json").read_text("utf-8")) | change
    log = inspect_log(inspect_suite, log, "true", eval={"model": "m", "metadata": facts})
    with pytest.raises(RunError, match="says of its suite is damaged"):
        inspect_logs.read(log)


def test_text_that_no_store_takes_is_mended(harness_suite: Path, tmp_path: Path) -> None:
    logs = harness_logs(harness_suite, tmp_path / "logs", lambda d: int(d["gold"]))
    samples = next(logs.glob("samples_commonsense_gita_story_class*"))
    text = samples.read_text("utf-8").replace('"0-O0"', r'"0-O0\ud800"').replace(
        '"false"', r'"false\udc00"'
    ).replace('" false"', r'" false\udc00"')  # fmt: skip
    samples.write_text(text, "utf-8")
    done = ok("import", "lm-eval", logs, "--store", tmp_path / "runs.db", "--json").json
    assert done["verdicts"] >= 6


def test_a_suite_of_another_version_is_refused(inspect_suite: Path, tmp_path: Path) -> None:
    header = {"status": "success", "eval": {"metadata": {"commonsense_suite": 99}}}
    with pytest.raises(RunError, match="another version"):
        inspect_logs.read(archive(tmp_path / "log.eval", {"header.json": header}))
