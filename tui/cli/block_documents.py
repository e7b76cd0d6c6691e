"""What `blocks`, `trace` and `patch` print as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from core.blocks.heatmaps import ONE_PAIR
from core.blocks.lens import PROJECTION, LensTable
from core.blocks.patches import Patched
from core.blocks.spans import PromptSpan
from core.blocks.trace import TraceTable
from core.contract.question import Form, Question
from core.models.blocks import BlockAccess
from core.models.protocol import Model


def head(question: Question, model: Model, form: Form, access: BlockAccess) -> dict[str, Any]:
    """What every document begins with.

    `self_test_deviation` is 0 where blocks are read exactly; see `BlockAccess.deviation`.
    """
    return {
        "item": question.item,
        "layer": question.layer,
        "setting": dict(question.setting),
        "model": model.info.name,
        "source": model.info.source,
        "demo": model.info.demo,
        "form": form,
        "self_test_deviation": access.deviation,
        "options": question.options,
        "gold_index": question.gold,
    } | ({"gold_indices": question.golds} if question.multiple else {})


def lens_document(table: LensTable) -> dict[str, Any]:
    """Options by blocks, (blocks, options), in nats.

    `class`, `last_led` and `settles_at` are of the lens beyond the prior, null where `withheld`
    says why; those of the raw lens are under `raw`. In multiple select all are raw.
    """
    lens = table.calibrated
    trajectory = (lens or table).trajectory
    raw = table.trajectory
    return {
        "blocks": [[score.logprob for score in row] for row in table.reading.scores],
        "final": [score.logprob for score in table.final],
        "max_abs_diff_last_block": table.deviation,
        "rounding": table.reading.rounding,
        "leading": table.leading,
        "class": None if trajectory is None else trajectory[0].value,
        "last_led": None if trajectory is None else trajectory[1],
        "settles_at": (lens or table).prediction_depth,
        "withheld": None if lens is None or lens.withheld is None else lens.withheld.value,
        "raw": {
            "class": None if raw is None else raw[0].value,
            "last_led": None if raw is None else raw[1],
            "settles_at": table.prediction_depth,
        },
        "beyond_prior": None if lens is None else lens.scores,
        "leading_beyond_prior": None if lens is None else lens.leading,
        "guesses": [
            [{"text": guess.text, "logprob": guess.logprob} for guess in row]
            for row in table.reading.guesses
        ],
        "note": PROJECTION,
    }


def trace_document(table: TraceTable) -> dict[str, Any]:
    """Shares and effects in nats by spans and blocks, (spans, blocks); null where there is none.

    `valid` tells whether the pair has shares of its difference; `failing` says why not.
    `shifts` are the positions of spans in the contrast prompt less those here.
    """
    margins = None
    if table.base is not None and table.options is not None:
        margins = table.base.margins(*table.options)
    return {
        "contrast": {"name": table.contrast.name, "setting": dict(table.contrast.setting)},
        "spans": span_documents(table.rows.spans),
        "blocks": list(range(table.blocks)),
        "restored": table.restored,
        "effects": table.effects,
        "comparable": table.rows.comparable,
        "shifts": [table.rows.shift(span) for span in range(len(table.rows.spans))],
        "compared": table.options,
        "margins": margins,
        "valid": table.valid,
        "failing": table.failing,
        "note": ONE_PAIR,
    }


def control_documents(
    noising: TraceTable, control: TraceTable | None, control_of: str
) -> dict[str, Any]:
    """The trace the other way round, and with a random control; null where there is none.

    `lost` is the share of the difference that goes when the contrast run's span is copied into
    this prompt's run, `falls` the fall of the margin in nats; `item` is whose contrast prompt the
    control copies from.
    """
    return {
        "noising": {"lost": noising.restored, "falls": noising.effects},
        "control": control
        and {"item": control_of, "restored": control.restored, "effects": control.effects},
        "no_control": None if control is not None else control_of,
    }


def patch_document(patched: Patched) -> dict[str, Any]:
    """The options without and with the edits.

    Edits act together, so `restored` is one figure for all spans and blocks that they touch.
    """
    answer, now = patched.answers
    touched = patched.touched
    return {
        "contrast": patched.contrast
        and {"name": patched.contrast.name, "setting": dict(patched.contrast.setting)},
        "edits": [
            {key: value for key, value in asdict(edit).items() if key != "vector"}
            for edit in patched.edits
        ],
        "spans": span_documents([patched.spans[index] for index in touched]),
        "blocks": sorted({edit.block for edit in patched.edits}),
        "restored": [[patched.restored]],
        "comparable": [patched.comparable[index] for index in touched],
        "references": patched.references,
        "replaced_tokens": patched.result.replaced,
        "scores": [score.logprob for score in patched.result.plain],
        "patched": [score.logprob for score in patched.result.patched],
        "answer_index": answer,
        "patched_answer_index": now,
        "note": ONE_PAIR,
    }


def span_documents(spans: Sequence[PromptSpan]) -> list[dict[str, Any]]:
    """Spans with their kinds, texts and token ranges."""
    return [{"kind": span.kind, "text": span.text, "tokens": span.tokens} for span in spans]
