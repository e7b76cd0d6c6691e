"""Writes a benchmark as a task of Inspect AI: turns, metadata and a scorer that reads replies.

Inspect knows no gates: it asks every layer about every item, and the import of its log applies the
gates, which the facts of the suite name.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from core.exchange.exporters.folders import whole_folder
from core.exchange.suites.document import document_of
from core.exchange.suites.folder import FACTS, check_not_empty, copy_shipped, write_json
from core.exchange.suites.questions import SuitePlan
from core.exchange.suites.reading_rules import write_reading_rules
from core.files import paths
from core.runs.records import replace_surrogates

ENGINE = "inspect"


def write(plan: SuitePlan, path: Path, *, force: bool = False) -> Path:
    """Write the suite to the folder `path`; return its full path.

    Raises `ExportError` where it cannot be written, and what gathering the questions raises.
    """
    facts = plan.facts(ENGINE)
    layers = []
    with whole_folder(path, FACTS, "a suite", force=force) as folder:
        with (folder / "samples.jsonl").open("wb") as lines:
            for layer, questions in plan.layers():
                count = 0
                for question in questions:
                    document = document_of(plan.benchmark, question, count)
                    row = {
                        "id": f"{layer.id}/{document.item}",
                        "input": [
                            {"role": turn.role, "content": replace_surrogates(turn.content)}
                            for turn in question.chat(system=True)
                        ],
                        "metadata": msgspec.structs.asdict(document),
                    }
                    lines.write(msgspec.json.encode(row) + b"\n")
                    count += 1
                if count:
                    layers.append(
                        {"layer": layer.id, "gated_by": plan.gate(layer), "questions": count}
                    )
        check_not_empty(layers)
        copy_shipped("inspect_task.py", folder / "task.py")
        write_reading_rules(folder / "rules")
        write_json(folder / FACTS, {**facts, "layers": layers})
    return paths.destination(path)
