"""What each layer asks: every link of the sound chain, a broken one, the scenario's question.

In an item's own world every link of the sound chain holds, so that "yes" is always right. The
broken link is one for which "no" is right: it drifts, or an intervention has cut it. The title of
its layer does not give that away, because people answer too.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from core.benchmarks.com2.graph import Fault, Rule
from core.benchmarks.com2.item import Com2Item, Option, letter
from core.benchmarks.com2.prompts import LinkWording, wordings
from core.benchmarks.com2.query import Query
from core.benchmarks.com2.scenarios import derive, right_options, task_query
from core.benchmarks.com2.switches import THINKING, Situation, situation
from core.benchmarks.com2.worlds import World
from core.contract.prompt_parts import PromptPart, line_parts, placeholder_parts, placeholder_ranges
from core.contract.prompt_template import PromptTemplate
from core.contract.question import Question, Scoring, Shot
from core.contract.setting import Setting
from core.contract.task_layer import TaskLayer
from core.text.errors import SettingError
from core.text.language import N_, _

PROFILES = {
    "paper": N_("Every answer counts; one that cannot be read is wrong."),
    "parsed": N_("Only answers that could be read count."),
}
"""One line on each scoring profile, the default first."""
MOST_LINKS = 8
"""Most links of a chain that have a layer; the paper's chains have four or five."""
LINK = "link-"
BROKEN = "broken"
ANSWER = "answer"
INTERVENED, OBSERVED, IMAGINED = (
    N_("intervened event"),
    N_("observed event"),
    N_("imagined event"),
)
"""The roles of premises in a prompt; `cause`, `effect` and `options` are placeholders."""
SHOT_LAYERS = (f"{LINK}1", BROKEN)
"""The layers whose questions are worked examples for every link. One link of a chain is enough:
with all of them seven of eight bundled examples would be answered yes; so it is fewer than two of
three."""
LAYERS = (
    *(
        TaskLayer(
            f"{LINK}{i}",
            f"{N_('Link')} {i}",
            N_("Does the one event lead to the next?"),
            optional=True,
        )
        for i in range(1, MOST_LINKS + 1)
    ),
    TaskLayer(
        BROKEN, N_("Other chain"), N_("Does a link of another chain lead on here?"), optional=True
    ),
    TaskLayer(ANSWER, N_("The question"), N_("What follows in this scenario?")),
)
_ANSWER_TOKENS = 1024
_SCENARIO = "{context}Question: {question}\nOptions:\n{options}{thinking}\n"


def question(
    item: Com2Item,
    setting: Setting,
    layer: str,
    shots: Sequence[Shot] = (),
    order: Sequence[int] = (),
) -> Question | None:
    """The question of a layer; None beyond the end of the chain and without a link or task.

    `order` has the index of the option that the scenario's question shows at each place, by
    default its own. Raises `SettingError`, also for another order of options beside slow thinking.
    """
    now = situation(item, setting)
    if now.task is None:
        return None
    if layer == ANSWER:
        return _scenario(now, setting, shots, order)
    if layer == BROKEN:
        pair = broken(now)
        return _link(now, setting, layer, pair, shots) if pair else None
    pairs = list(pairwise(path_of(now)))[:MOST_LINKS]
    number = int(layer.removeprefix(LINK))
    if number > len(pairs):
        return None
    return _link(now, setting, layer, pairs[number - 1], shots)


def _tags(now: Situation) -> dict[str, str]:
    assert now.task is not None
    return {
        "scenario": now.task.scenario.value,
        "part": "hard" if now.item.hard else "main",
        "language": now.item.language,
        "graph": now.item.graph_id,
        "thinking": "given" if now.thinking else "",
        "options": str(len(now.task.options)),
    }


def _link(
    now: Situation, setting: Setting, layer: str, pair: tuple[str, str], shots: Sequence[Shot]
) -> Question:
    wording = wordings().links.get(now.item.language, wordings().links["en"])
    cause, effect = (_bare(now.graph.event(event).text) for event in pair)
    premises = _premises(now.item, now.query, wording)
    template = PromptTemplate(f"{wording.instruction}\n\n", f"{{premises}}{wording.question}")
    parts = {
        "premises": "".join(f"{premise}\n" for premise in premises),
        "cause": cause,
        "effect": effect,
    }
    return Question(
        item=now.item.id,
        layer=layer,
        instruction=template.instruction,
        text=template.fill(parts),
        template=template,
        parts=parts,
        options=(wording.yes, wording.no),
        gold=0 if carries(now, now.world(), *pair) else 1,
        setting=setting,
        shots=tuple(shots),
        tags=_tags(now),
        about=f"{cause} → {effect}",
    )


def carries(now: Situation, here: World, cause: str, effect: str) -> bool:
    """Whether a link brings its effect about in this world.

    Both events happen, the link is not cut, neither misleading nor an inhibitor's, and every cause
    that is needed together with this one happens too.
    """
    link = now.graph.link(cause, effect)
    if link is None or link.fault is not Fault.NONE or here.cut(effect):
        return False
    needed = {cause, effect}
    for group in now.graph.groups_of(effect):
        if cause in group.causes and group.rule is Rule.INHIBITOR:
            return False
        if cause in group.causes and group.rule is Rule.ALL:
            needed.update(group.causes)
    return all(here.happens(event) for event in needed)


def path_of(now: Situation) -> tuple[str, ...]:
    """The chain whose links are asked about: the task's or, in a decision without one, the graph's.

    The graph's is the longest chain to the bad outcome whose links all hold in the task's own
    world; among equals the first by the order of the links. Empty where nothing leads there.
    """
    task, graph = now.task, now.graph
    if task is None or task.path or not task.bad:
        return () if task is None else task.path
    own = now.world(task_query(task, Query(mechanism=now.query.mechanism)))
    longest: dict[str, tuple[str, ...]] = {}
    for event in graph.order:
        causes = [cause for cause in graph.causes(event) if carries(now, own, cause, event)]
        longest[event] = (*max((longest[cause] for cause in causes), key=len, default=()), event)
    return longest[task.bad] if len(longest[task.bad]) > 1 else ()


def broken(now: Situation) -> tuple[str, str] | None:
    """The first link of the other chains that does not hold, but seems to; None without one.

    Either it is misleading (scene drift, threshold effect), or it would hold in the world before:
    without interventions or, in an imagined world, in the factual one.
    """
    if now.task is None:
        return None
    here, query = now.world(), now.query
    factual = Query(query.do, query.observe, mechanism=query.mechanism)
    before = now.world(factual if query.imagine else Query(mechanism=query.mechanism))
    on_path = set(pairwise(path_of(now)))
    for pair in (pair for chain in now.task.distractors for pair in pairwise(chain)):
        link = now.graph.link(*pair)
        if link is None or pair in on_path or carries(now, here, *pair):
            continue
        if link.fault is not Fault.NONE or carries(now, before, *pair):
            return pair
    return None


def _premises(item: Com2Item, query: Query, wording: LinkWording) -> list[str]:
    """What is set, observed and imagined, in sentences, in the order of the events."""
    return [sentence for sentence, _role in _premises_with_roles(item, query, wording)]


def _premises_with_roles(
    item: Com2Item, query: Query, wording: LinkWording
) -> list[tuple[str, str]]:
    """The premises in the order of the events, each with its role in a prompt."""
    sentences = []
    for event in item.graph.events:
        for states, role, yes, no in (
            (query.do, INTERVENED, wording.forced_yes, wording.forced_no),
            (query.observe, OBSERVED, wording.seen_yes, wording.seen_no),
            (query.imagine, IMAGINED, wording.imagined_yes, wording.imagined_no),
        ):
            if event.id in states:
                form = yes if states[event.id] else no
                sentences.append((form.replace("{event}", _bare(event.text)), role))
    return sentences


def prompt_parts(item: Com2Item, setting: Setting, question: Question) -> list[PromptPart]:
    """What is set, observed and imagined, event by event; then cause and effect, or the options."""
    now = situation(item, setting)
    wording = wordings().links.get(now.item.language, wordings().links["en"])
    query = now.own if question.layer == ANSWER else now.query
    lines = [
        (sentence, role, False) for sentence, role in _premises_with_roles(now.item, query, wording)
    ]
    premises = [
        part
        for name, start, stop in placeholder_ranges(question)
        if name in ("premises", "context")
        for part in line_parts(question, start, stop, lines)
    ]
    others = [
        part for part in placeholder_parts(question) if part.role not in ("premises", "context")
    ]
    return [*premises, *others]


def _scenario(
    now: Situation, setting: Setting, shots: Sequence[Shot], order: Sequence[int]
) -> Question:
    task = now.task
    assert task is not None
    if now.thinking and list(order) != sorted(order):
        raise SettingError(
            _("Slow thinking names options by the letters of their own order."),
            where=f"{THINKING.key}=on",
            hint=_("Leave out --permute, or ask without slow thinking."),
        )
    shown = order or range(len(task.options))
    derivation = derive(now.item, task, now.own)
    right = right_options(task, derivation, changed=now.changed)
    gold = None if right is None else {shown.index(index) for index in right}
    single = next(iter(gold)) if gold is not None and len(gold) == 1 else None
    instruction = wordings().evaluation(now.item, task.scenario)
    options = [task.options[index] for index in shown]
    template = PromptTemplate(f"{instruction}\n\n\n", _SCENARIO)
    parts = _scenario_parts(now, options)
    return Question(
        item=now.item.id,
        layer=ANSWER,
        instruction=template.instruction,
        text=template.fill(parts),
        template=template,
        parts=parts,
        options=tuple(option.text for option in options),
        gold=None if task.multiple else single,
        golds=tuple(sorted(gold)) if task.multiple and gold is not None else (),
        multiple=task.multiple,
        scoring=Scoring.GENERATED,
        answer_limit=_ANSWER_TOKENS,
        setting=setting,
        shots=tuple(shots),
        tags=_tags(now),
        order=tuple(order),
    )


def _scenario_parts(now: Situation, options: Sequence[Option]) -> dict[str, str]:
    """The texts of the scenario's question: case and changes by a person, options, slow thinking.

    What an item may lack brings its blank lines along.
    """
    task, case = now.task, now.item.case
    assert task is not None
    context = []
    if case is not None:
        known = {event.id: event.text for event in now.graph.events}
        facts = "\n".join(f"{i}. {known.get(f, f)}" for i, f in enumerate(case.facts, 1))
        context.append(f"Crime: {case.crime}\nFacts:\n{facts}")
    wording = wordings().links.get(now.item.language, wordings().links["en"])
    if premises := _premises(now.item, now.own, wording):
        context.append("\n".join(premises))
    listed = (f"{letter(i)}) {option.text}" for i, option in enumerate(options))
    thinking = task.thinking if now.thinking else ""
    return {
        "context": "".join(f"{part}\n\n" for part in context),
        "question": task.question,
        "options": "\n".join(listed),
        "thinking": f"\n\nSlow thinking:\n{thinking}" if thinking else "",
    }


def _bare(text: str) -> str:
    """A sentence without its full stop, for use inside another."""
    return text.strip().rstrip(".。")
