"""A small lesson to begin with: it runs as it is, and its comments explain the format."""

from __future__ import annotations

from collections.abc import Iterator

from core.contract.benchmark import Benchmark
from core.contract.collection import Collection
from core.contract.setting import Choice, Setting, Switch
from core.files.strict_yaml import written
from core.lessons.claims import KINDS
from core.text.escaping import escape_control_characters

_MOST_SWITCHES = 12
_MOST_VALUES = 6
_LINE = 96


def skeleton(benchmark: Benchmark, collection: Collection) -> str:
    """A lesson in YAML on the first item of a collection with an annotated question."""
    position, layer = _first(benchmark, collection)
    item = collection.item(position)
    lines = [
        "# A lesson. Try it with: commonsense-tui lesson run THIS-FILE",
        "# Does it still hold?    commonsense-tui lesson check THIS-FILE",
        "title:",
        "  en: A lesson of mine",
        "  it: Una mia lezione",
        "about:",
        "  en: What one learns here, in a sentence.",
        "  it: Che cosa si impara qui, in una frase.",
        f"benchmark: {benchmark.name}",
        "minutes: 5",
        "",
        "# Every text is there in the languages of the title. One language needs no en: or it:",
        "# title: A lesson of mine",
        "steps:",
        "  # Each step says something, in Markdown.",
        "  - say:",
        "      en: |",
        "        # Look at it",
        "",
        "        Read the item on the right. **What is odd about it?**",
        "      it: |",
        "        # Guardatelo",
        "",
        "        Leggete l'elemento a destra. **Che cosa c'è di strano?**",
        "    # The item: commonsense-tui browse shows the ids. Later steps stay on it.",
        f"    item: {written(collection.entry(position).id)}",
        "    # What is toggled on it; a step without set: leaves everything as it was.",
        *_switches(benchmark.switches(item)),
        "    # set: {}",
        "    # What to point at: a statement or a node by its id, number or role, or a layer.",
        f"    point: {{rung: {layer}}}",
        "",
        "  - say:",
        "      en: What will the model answer? Hands up!",
        "      it: Che cosa risponderà il modello? Alzate la mano!",
        "    predict:",
        "      ask:",
        "        en: Its answer",
        "        it: La sua risposta",
        "      # The audience chooses among the options of a layer of the ladder:",
        *(f"      #   {each.id}: {each.asks}" for each in benchmark.layers[:_MOST_SWITCHES]),
        f"      layer: {layer}",
        "      # or among your own, each with what makes it come true:",
        "      # options:",
        "      #   - text: {en: It is right., it: Risponde bene.}",
        f"      #     when: {{right: {layer}}}",
        "      #   - text: {en: It is wrong., it: Sbaglia.}",
        f"      #     when: {{wrong: {layer}}}",
        "    # What is said once the answer is there:",
        "    after:",
        "      en: Did you expect that?",
        "      it: Ve l'aspettavate?",
        "    # notes: is what only the speaker sees, with lesson follow in another terminal.",
        "    # show: blocks opens what happens between the model's blocks, trace what restores it.",
        "    # What must be so for the texts to be true; lesson check tells when it no longer is:",
        f"    #   {', '.join(KINDS)}",
        "    # check:",
        f"    #   - right: {layer}",
        "    #   - first failure: nowhere",
        f"    #   - share: {{layer: {layer}, of: gold, at least: 0.5}}",
        "    check:",
        f"      - gold: {{layer: {layer}, is: gold}}",
    ]
    return "\n".join(lines) + "\n"


def _first(benchmark: Benchmark, collection: Collection) -> tuple[int, str]:
    for position in range(len(collection)):
        item = collection.item(position)
        for layer in benchmark.layers:
            question = benchmark.question(item, Setting(), layer.id)
            if question is not None and question.gold is not None and not layer.aside:
                return position, layer.id
    return 0, benchmark.layers[0].id


def _switches(switches: tuple[Switch, ...]) -> Iterator[str]:
    for switch in switches[:_MOST_SWITCHES]:
        values = ""
        if isinstance(switch, Choice):
            named = [str(value) for value in switch.values[:_MOST_VALUES]]
            values = f": {', '.join(named)}{', …' if switch.values[_MOST_VALUES:] else ''}"
        yield escape_control_characters(
            f"    #   {switch.key} ({switch.label}){values}", limit=_LINE
        )
    if switches[_MOST_SWITCHES:]:
        yield "    #   … and more: commonsense-tui show tells them with --json"
