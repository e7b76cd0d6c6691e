"""A person's own wordings of prompts: read from a file, asked as repeats, part of the plan."""

from __future__ import annotations

import statistics
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.contract import registry
from core.contract.prompt_template import PromptTemplate
from core.contract.question import Form
from core.files import strict_yaml
from core.runs.evaluation import Evaluation
from core.runs.planning import plan_for
from core.runs.priors import content_free
from core.runs.questions import Examples, QuestionSource, layer_questions
from core.runs.records import Plan, Run, RunState
from core.runs.repeats import repeated_figures, repeats_of
from core.runs.store import Store
from core.runs.summaries import summarise
from core.runs.wordings import MOST_WORDINGS, Wording, file_of_prompts, own_templates, read_wordings
from core.text.errors import ConfigError
from tests.runs.models import HashingModel

TOWERS = 12
OWN = {"stands": [PromptTemplate("", "The tower: {tower}.")]}
LAYERS = ("stands", "culprit", "top")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "prompts.yaml"


def source_of(data: Path, wording: Wording | None = None, order: int = 0) -> QuestionSource:
    benchmark = registry.load("shapes")
    return QuestionSource(benchmark, benchmark.open(data), order=order, wording=wording)


async def asked(store: Store, data: Path, wording: Wording, model: HashingModel) -> Run:
    source = source_of(data, wording)
    plan = plan_for(model, source, data, form=Form.BASE)
    evaluation = Evaluation(store, plan, model, source)
    async for _ in evaluation.steps():
        pass
    return evaluation.run


def test_the_n_th_wordings_of_the_layers_belong_together(file: Path) -> None:
    file.write_text(
        'stands:\n- "1 {tower}"\n- {instruction: "Say.\\n\\n", text: "2 {tower}{tower}"}\n'
        'top: ["{tower}?"]\n'
    )
    top = PromptTemplate("", "{tower}?")
    assert read_wordings(file, LAYERS, OWN) == [
        {"stands": PromptTemplate("", "1 {tower}"), "top": top},
        {"stands": PromptTemplate("Say.\n\n", "2 {tower}{tower}"), "top": top},
    ]


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('stand: ["{tower}"]', 1, "Did you mean “stands”"),
        ('stands: ["{tower}", "{towr}"]', 1, "Layer stands has no placeholder “{towr}”"),
        ('stands:\n- "{Tower}"', 2, "Layer stands has no placeholder “{Tower}”"),
        ('stands:\n- "{tower} {0}"', 2, "Layer stands has no placeholder “{0}”"),
        ('stands:\n- "{tower.parts}"', 2, "has no placeholder “{tower.parts}”"),
        ('stands:\n- "{tower!r:>9}"', 2, "has no placeholder “{tower!r:>9}”"),
        ('stands:\n\n- "Does it stand?"', 3, "layer stands lacks the placeholder {tower}"),
        ('stands:\n- {instruction: "{tower}", text: "{tower}"}', 2, "The instruction of layer"),
        ('stands:\n- {instruction: "Say."}', 2, "lacks text"),
        ('stands:\n- {text: "{tower}", shots: 3}', 2, "has no “shots”"),
        ("stands: []", 1, "has 0 wordings"),
        ("stands: [" + '"{tower}", ' * (MOST_WORDINGS + 1) + "]", 1, "has 25 wordings"),
        ('stands: ["{tower}", "{tower}!"]\ntop: [a, b, c]', 1, "another layer 3"),
        ("stands: {tower: 1}", 1, "must be a list"),
        ('stands: [!!python/object/apply:os.system ["ls"]]', 1, ""),
        ("stands: [3]", 1, "must be a text"),
    ],
)
def test_a_file_with_a_mistake_is_refused_with_its_line(
    file: Path, text: str, line: int, message: str
) -> None:
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_wordings(file, LAYERS, OWN)
    assert caught.value.where == f"{file}:{line}"
    assert caught.value.title == "This file of prompts cannot be used"
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["", "# nothing\n", "{}"])
def test_an_empty_file_is_refused(file: Path, text: str) -> None:
    file.write_text(text)
    with pytest.raises(ConfigError, match="has no layers"):
        read_wordings(file, LAYERS, OWN)


def test_a_large_file_is_refused_unread(file: Path) -> None:
    file.write_text(f'stands: ["{{tower}}"] #{"x" * strict_yaml.LIMIT}')
    with pytest.raises(ConfigError, match="100,000 bytes"):
        read_wordings(file, LAYERS, OWN)


def test_json_in_braces_is_no_placeholder(file: Path) -> None:
    file.write_text("""stands: ['{tower} Reply {"answer": "yes"} or {"answer": "no"} { }.']""")
    [wording] = read_wordings(file, LAYERS, OWN)
    assert wording["stands"].fill({"tower": "{tower}"}).startswith("{tower} Reply {")


@given(st.dictionaries(st.sampled_from(LAYERS), st.tuples(TEXTS, TEXTS), min_size=1))
def test_the_printed_file_is_read_back(tmp_path_factory, drawn) -> None:
    own = {
        layer: [PromptTemplate(instruction if instruction.strip() else "", f"{text}{{tower}}")]
        for layer, (instruction, text) in drawn.items()
    }
    file = tmp_path_factory.mktemp("prompts") / "prompts.yaml"
    file.write_text(file_of_prompts(own), "utf-8")
    assert read_wordings(file, LAYERS, {}) == [{layer: own[layer][0] for layer in own}]


@pytest.mark.parametrize("name", ["gita", "accord", "abspyramid"])
def test_asked_with_its_own_prompts_a_benchmark_asks_what_it_asks(name: str, file: Path) -> None:
    benchmark = registry.load(name)
    collection = benchmark.open(benchmark.samples())
    own = QuestionSource(benchmark, collection, limit=1)
    file.write_text(file_of_prompts(own_templates(own)), "utf-8")
    layers = [layer.id for layer in benchmark.layers]
    [wording] = read_wordings(file, layers, own_templates(own))
    reworded = QuestionSource(benchmark, collection, limit=1, wording=wording)
    assert wording
    for layer in benchmark.layers:
        first, second = (source.question(0, layer) for source in (own, reworded))
        if first is None or second is None:
            assert first is second is None
            continue
        assert (second.base(), second.options) == (first.base(), first.options)


@pytest.mark.parametrize("name", ["gita", "accord", "com2", "abspyramid"])
def test_the_printed_file_changes_no_question_of_a_whole_collection(name: str, file: Path) -> None:
    benchmark = registry.load(name)
    collection = benchmark.open(benchmark.samples())
    own = QuestionSource(benchmark, collection)
    templates = own_templates(own)
    file.write_text(file_of_prompts(templates), "utf-8")
    several = {layer for layer, known in templates.items() if len(known) > 1}
    [wording] = read_wordings(file, [layer.id for layer in benchmark.layers], templates)
    assert wording.keys() == templates.keys() - several
    reworded = QuestionSource(benchmark, collection, wording=wording)
    for layer in benchmark.layers:
        for position, question in own.questions(layer, None):
            other = reworded.question(position, layer)
            assert other is not None
            assert (other.base(), other.options) == (question.base(), question.options)


def test_worked_examples_are_in_the_same_words(data: Path) -> None:
    source = source_of(data, {"stands": PromptTemplate("Say.\n\n", "It is {tower}; stands?")})
    layer = source.benchmark.layers[0]
    pending = layer_questions(source, layer, None, Examples(2, "random", 1))
    question = source.full_question(pending[0], layer)
    assert len(question.shots) == 2
    for text in (question.text, *(shot.text for shot in question.shots)):
        assert text.startswith("It is ")
        assert text.endswith("; stands?")
    assert content_free(question).base() == "Say.\nIt is N/A; stands?"


async def test_each_wording_is_a_run_and_their_spread_stands_beside(
    tmp_path: Path, data: Path
) -> None:
    texts = ("{tower}: does it stand?", "Stands {tower}?", "Look: {tower}. Well?")
    wordings = [{"stands": PromptTemplate("", text)} for text in texts]
    model = HashingModel()
    with Store(tmp_path / "runs.sqlite") as store:
        own = await asked(store, data, {}, model)
        runs = [await asked(store, data, wording, model) for wording in wordings]
        again = await asked(store, data, wordings[1], model)
        changed = await asked(store, data, {"stands": PromptTemplate("", texts[1] + " ")}, model)
        values = [summarise(store, store.run(run.id)).figures[0].value for run in runs]
        ids = [run.id for run in runs]
        [figures] = repeated_figures(store, runs[0], "", ids)
        listed = store.runs()
        note = summarise(store, store.run(runs[0].id)).notes[0]
    assert len({own.id, *ids, changed.id}) == 5
    assert again.id == ids[1]
    assert [dict(run.plan.prompts) for run in listed[1:4]] == wordings
    assert figures.values["Stands"] == values
    spread = figures.spreads["Stands"]
    assert (spread.mean, spread.sd) == (statistics.fmean(values), statistics.stdev(values))
    assert figures.repeats.title == "3 wordings of the prompts"
    assert [run.id for run in figures.repeats.runs] == ids
    assert note.startswith("Asked in a person's own words: stands.")
    [everything] = repeats_of(runs[0], listed)
    assert everything.wordings == 5


def test_wordings_and_orders_are_told_apart() -> None:
    plan = Plan("m", "f", "shapes", "c", "h")
    prompts = (("stands", PromptTemplate("", "{tower}")),)
    plans = [replace(plan, prompts=each, order=n) for each in ((), prompts) for n in (0, 1)]
    runs = [Run(f"r{i}", each, RunState.DONE, "") for i, each in enumerate(plans)]
    alone = ["2 orders of the options", "2 wordings of the prompts"]
    together = "2 wordings of the prompts, each with 2 orders of the options"
    assert [repeats.title for repeats in repeats_of(runs[0], runs)] == [*alone, together]
    assert [repeats.title for repeats in repeats_of(runs[0], runs[:3])] == alone
