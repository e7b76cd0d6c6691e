"""An invented benchmark: towers of shapes, and whether they stand.

It is a package of its own and imports nothing of the program but `core`. A part with a round or
pointed top carries nothing, unless the parts are glued.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from core.contract.benchmark import Benchmark
from core.contract.collection import About, Entry
from core.contract.indexed_collection import IndexedCollection
from core.contract.prompt_template import PromptTemplate
from core.contract.question import Question, Shot, Verdict
from core.contract.setting import Choice, Flag, Number, Order, Setting, Switch, Text
from core.contract.summary import Baseline, Figure, Summary, Totals
from core.contract.task_layer import TaskLayer
from core.contract.view import Cell, Grid, Link, Note, Role, Statement, Statements, View
from core.text.errors import DataError

CARRIES_NOTHING = ("ball", "cone", "prism")
GROUNDS = Choice("ground", "ground", ("table", "boat"), ("on a table", "on a boat"), cycles=True)
GLUE = Flag("glue", "glue between the parts")
COPIES = Number("copies", "how many such towers", 1, 3, 1)


@dataclass(frozen=True, slots=True)
class Tower:
    """Parts from the bottom up."""

    id: str
    parts: tuple[str, ...]

    @property
    def order(self) -> Order:
        return Order("order", "order of the parts", self.parts)

    @property
    def foot(self) -> Text:
        return Text("foot", "the lowest part", self.parts[0])


@dataclass(frozen=True, slots=True)
class Built:
    """A tower as a setting builds it."""

    parts: tuple[str, ...]
    glued: bool
    known: bool
    """Whether every part is one of which the rules tell something."""

    @property
    def culprit(self) -> int | None:
        """The lowest part that carries another and cannot."""
        if self.glued:
            return None
        return next((i for i, p in enumerate(self.parts[:-1]) if p in CARRIES_NOTHING), None)


def build(tower: Tower, setting: Setting) -> Built:
    parts = [tower.parts[i] for i in tower.order.indices(setting.value(tower.order))]
    retyped = "foot" in setting
    if retyped:
        parts[0] = setting["foot"]
    return Built(tuple(parts), setting.value(GLUE) == "on", not retyped)


class Towers(IndexedCollection[Tower]):
    """All towers of a file."""

    def __init__(self, towers: Sequence[Tower], content_hash: str) -> None:
        super().__init__(About("Six towers", "invented for a test", "CC0"))
        self._towers = towers
        self._content_hash = content_hash

    @property
    def content_hash(self) -> str:
        return self._content_hash

    def __len__(self) -> int:
        return len(self._towers)

    def entry(self, index: int) -> Entry:
        tower = self._towers[index]
        return Entry(tower.id, " on ".join(reversed(tower.parts)), f"{len(tower.parts)} parts")

    def _read_item(self, index: int) -> Tower:
        return self._towers[index]

    def _searched_text(self, index: int) -> str:
        return " ".join((self._towers[index].id, *self._towers[index].parts))


class Shapes(Benchmark[Tower]):
    """The benchmark."""

    api_version: ClassVar[int] = 1
    name: ClassVar[str] = "shapes"
    title: ClassVar[str] = "Shapes"
    summary: ClassVar[str] = "Does a tower stand, and if not, which part is to blame, and why?"
    layers: ClassVar[tuple[TaskLayer, ...]] = (
        TaskLayer("stands", "Stands", "Does the tower stand?"),
        TaskLayer("culprit", "Culprit", "Which part is to blame?", gated=True),
        TaskLayer("top", "Top", "What is wrong with its top?"),
    )
    profiles: ClassVar[tuple[str, ...]] = ("all", "falling")

    def samples(self) -> Path:
        return Path(__file__).with_name("shapes.json")

    def open(self, path: Path) -> Towers:
        try:
            raw = path.read_bytes()
            towers = [Tower(row["id"], tuple(row["parts"])) for row in json.loads(raw)]
            return Towers(towers, hashlib.sha256(raw).hexdigest())
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise DataError("This is not a file of towers.", where=str(path)) from error

    def switches(self, item: Tower) -> tuple[Switch, ...]:
        return (GROUNDS, GLUE, COPIES, item.order, item.foot)

    def view(self, item: Tower, setting: Setting) -> View:
        built = build(item, setting)
        culprit = built.culprit
        parts = tuple(
            Statement(
                str(i),
                f"a {part}",
                role=Role.BREAK if i == culprit else Role.PLAIN,
                number=str(i),
                note="cannot carry" if i == culprit else "",
                text_switch="foot" if i == 0 else "",
            )
            for i, part in enumerate(built.parts)
        )
        links = () if culprit is None else (Link(str(culprit), str(culprit + 1), "carries"),)
        tops = tuple(
            (Cell(part), Cell("no" if part in CARRIES_NOTHING else "yes")) for part in built.parts
        )
        return View(
            title=item.id,
            subtitle=GROUNDS.name(setting.value(GROUNDS)),
            badges=(Cell("edited", Role.CHANGED),) if setting else (),
            sections=(
                Statements("From the bottom up", parts, links, order_switch="order"),
                Grid("What carries", ("part", "carries"), tops, note="Of unglued parts."),
                Note(f"Built {setting.value(COPIES)} times."),
            ),
        )

    def question(
        self, item: Tower, setting: Setting, layer: str, shots: Sequence[Shot] = ()
    ) -> Question | None:
        built = build(item, setting)
        culprit = built.culprit
        tower = ", then ".join(built.parts)
        match layer:
            case "stands":
                asks, options, gold = "Does it stand?", ("no", "yes"), int(culprit is None)
            case _ if culprit is None:
                return None
            case "culprit":
                asks, options, gold = "Which part is to blame?", built.parts, culprit
            case _:
                asks, options = "Its top is", ("flat", "round", "pointed")
                gold = 1 if built.parts[culprit] == "ball" else 2
        template = PromptTemplate(
            "Towers are built from the bottom up.\n\n", f"The tower: {{tower}}.\n{asks}"
        )
        return Question(
            item=item.id,
            layer=layer,
            instruction=template.instruction,
            text=template.fill({"tower": tower}),
            template=template,
            parts={"tower": tower},
            options=options,
            gold=gold if built.known else None,
            setting=setting,
            shots=tuple(shots),
            tags={"falls": "no" if culprit is None else "yes"},
        )

    def summarise(
        self,
        verdicts: Sequence[Verdict],
        profile: str,
        totals: Mapping[str, Totals] | None = None,
    ) -> Summary:
        figures = []
        counts = {}
        for layer in self.layers:
            asked = [
                v
                for v in verdicts
                if v.layer == layer.id and (profile == "all" or v.tags["falls"] == "yes")
            ]
            right = sum(1 for v in asked if v.right)
            baselines = {}
            if layer.id == "stands" and profile == "all":
                baselines["always no"] = Baseline(4 / 6, "no to every tower")
            figures.append(Figure(layer.title, right, len(asked), baselines))
            counts[f"{layer.id} asked"] = len(asked)
        return Summary(profile, tuple(figures), counts)
