"""Writes items in our YAML form: those that a person changed, and synthesised ones."""

from __future__ import annotations

import os
import tempfile
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

from core.benchmarks.com2.collection import listed_id
from core.benchmarks.com2.documents import read_item
from core.benchmarks.com2.item import Com2Item, Task
from core.benchmarks.com2.scenarios import derive
from core.benchmarks.com2.switches import Situation, situation
from core.contract.setting import Setting
from core.files import paths
from core.files.atomic import atomic_write, make_private_folder
from core.text.errors import DataError
from core.text.language import _

_MOST_NAMES = 1000


def save(item: Com2Item, setting: Setting) -> Path:
    """Add the item under a setting to the person's own collection; returns its file.

    Saved are the edited graph and the tasks that still make sense, not the states set with do()
    and the like. The file is named after the scenario that is shown and never overwrites another.
    Raises `SettingError` and `DataError`.
    """
    import yaml

    now = situation(item, setting)
    folder = paths.own_folder("com2")
    text = yaml.safe_dump(item_fields(now.item), allow_unicode=True, sort_keys=False, width=100)
    try:
        make_private_folder(folder)
        with tempfile.NamedTemporaryFile(
            "w", dir=folder, suffix=".tmp", encoding="utf-8", newline="\n", delete=False
        ) as handle:
            handle.write(text)
        draft = Path(handle.name)
        try:
            read_item(draft)
            return _linked(draft, folder, _stem(now))
        finally:
            draft.unlink()
    except OSError as error:
        raise DataError(
            _("The item cannot be saved: {why}.", why=error.strerror),
            where=folder,
            hint=_("Is there room, and may you write there?"),
        ) from error


def write_item(path: Path, item: Com2Item) -> str:
    """Write an item atomically; returns the SHA-256 of the file.

    Raises `DataError` when the file cannot be written, or when the item that is read back has
    another graph or another derived answer; then the file is removed.
    """
    import yaml

    body = yaml.safe_dump(
        {"id": item.id, **item_fields(item)}, allow_unicode=False, sort_keys=False, width=100
    )
    try:
        atomic_write(path, body)
    except OSError as error:
        raise DataError(f"The item cannot be written: {error.strerror}.", where=path) from error
    again = read_item(path)
    same = again.graph == item.graph and all(
        derive(again, new).gold == derive(item, old).gold
        for new, old in zip(again.tasks, item.tasks, strict=True)
    )
    if not same:
        path.unlink()
        raise DataError("The item reads back as another one.", where=path)
    return sha256(body.encode()).hexdigest()


def _linked(draft: Path, folder: Path, stem: str) -> Path:
    """Link a written file to the first free name; returns it."""
    for number in range(1, _MOST_NAMES):
        path = folder / (f"{stem}.yaml" if number == 1 else f"{stem}-{number}.yaml")
        try:
            os.link(draft, path)
        except FileExistsError:
            continue
        return path
    raise DataError(_("There are too many items of this name."), where=str(folder / stem))


def _stem(now: Situation) -> str:
    """A file name of ASCII letters and digits made from the id that is shown."""
    shown = now.item.id if now.task is None else listed_id(now.item, now.task.scenario)
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in shown)
    return kept.strip("-")[:60] or "graph"


def item_fields(item: Com2Item) -> dict[str, Any]:
    """The item in our YAML form, without its id."""
    graph = item.graph
    events = {
        event.id: _without_empty(
            text=event.text,
            gloss=event.gloss,
            kind=event.kind.value,
            leak=event.leak,
        )
        for event in graph.events
    }
    links = [
        {"from": link.cause, "to": link.effect}
        | _without_empty(
            fault=link.fault.value,
            source=link.source,
            evidence=link.evidence,
            strength=link.strength if link.strength != 1 else 0,
        )
        for link in graph.links
    ]
    groups = [
        {"effect": g.effect, "rule": g.rule.value, "causes": list(g.causes)} for g in graph.groups
    ]
    known = set(events)
    tasks = {
        task.scenario.value: _task(task) for task in item.tasks if _is_whole(task, item, known)
    }
    fields = _without_empty(
        language=item.language, title=item.title, events=events, links=links, groups=groups
    )
    if tasks:
        fields["tasks"] = tasks
    if item.case is not None:
        case = item.case
        fields["case"] = {"crime": case.crime} | _without_empty(
            facts=list(case.facts),
            suspects=[suspect for suspect in case.suspects if suspect in known],
            clue=case.clue if case.clue in known else "",
        )
    return fields


def _is_whole(task: Task, item: Com2Item, known: set[str]) -> bool:
    """Whether everything that a task names is still there."""
    named = {*task.path, *task.do, *task.observe, *task.imagine, *filter(None, [task.bad])}
    named |= {event for chain in task.distractors for event in chain}
    named |= {e for option in task.options for e in (option.event, option.prevents) if e}
    links = {(link.cause, link.effect) for link in item.graph.links}
    return named <= known and all(pair in links for pair in pairwise(task.path))


def _task(task: Task) -> dict[str, Any]:
    return {"question": task.question} | _without_empty(
        path=list(task.path),
        distractors=[list(chain) for chain in task.distractors],
        do={event: int(value) for event, value in task.do.items()},
        observe={event: int(value) for event, value in task.observe.items()},
        imagine={event: int(value) for event, value in task.imagine.items()},
        bad=task.bad,
        options=[
            _without_empty(text=option.text, event=option.event, prevents=option.prevents)
            for option in task.options
        ],
        thinking=task.thinking,
    )


def _without_empty(**fields: Any) -> dict[str, Any]:
    return {key: value for key, value in fields.items() if value}
