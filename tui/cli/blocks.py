"""`blocks`, `attention`, `attribution`, `trace` and `patch`: read and change transformer blocks.

Help and completion come to this module too, so each command imports what it does its work with.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from core.text.errors import SettingError
from tui.cli.lookup import words
from tui.cli.options import ContrastOption, ForceOption, ItemArgument, JsonOption, ReadingOptions

if TYPE_CHECKING:
    from tui.cli.item_question import ItemQuestion, Loading

_PlotOption = Annotated[
    Path | None,
    typer.Option(
        "--to",
        metavar="FILE",
        help="Draw it for a paper into this file instead of printing it; its ending chooses: .pdf, "
        ".svg or .png. Needs the extra `plots`.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionOptions(ReadingOptions):
    """Which question is put to which model, as it was typed."""

    item: ItemArgument

    def opened(self) -> tuple[ItemQuestion, Loading]:
        """The question, and how the model is loaded.

        Raises `NotFoundError`, `SettingError`, `DataError`.
        """
        from tui.cli.item_question import ItemQuestion, Loading

        question = ItemQuestion(
            self.benchmark, self.item, self.task_layer, self.data, self.settings, self.form
        )
        return question, Loading(self.model, self.context, self.exact)


def blocks(
    *,
    asked: QuestionOptions,
    to: _PlotOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Score the options after every block of a model.

    The logit lens: a projection of the residual stream, not what the model believes.
    """
    from tui.cli.block_answers import print_lens

    print_lens(*asked.opened(), to, force=force, as_json=as_json)


def attention(asked: QuestionOptions, as_json: JsonOption = False) -> None:
    """Print where each head looks from the answer position.

    Shares of a head's attention on each span of the prompt; with --json on each token too. They
    tell where a head looks, not what it does with what is there.
    """
    from tui.cli.head_answers import print_attention

    print_attention(*asked.opened(), as_json=as_json)


def attribution(asked: QuestionOptions, as_json: JsonOption = False) -> None:
    """Print what each part and head adds to the answer's lead.

    Direct logit attribution, in logits, of the answer over the right option, or over the
    runner-up where the answer is right.
    """
    from tui.cli.head_answers import print_attribution

    print_attribution(*asked.opened(), as_json=as_json)


def trace(
    *,
    contrast: ContrastOption = None,
    asked: QuestionOptions,
    part: Annotated[
        str, typer.Option("--part", help="What is copied: residual, attn, ffn or head:H.")
    ] = "residual",
    controls: Annotated[
        bool,
        typer.Option(
            "--controls",
            help="Also copy the other way round (noising), and from the contrast prompt of another "
            "item (random control).",
        ),
    ] = False,
    to: _PlotOption = None,
    force: ForceOption = False,
    as_json: JsonOption = False,
) -> None:
    """Copy spans block by block from a contrast prompt.

    Shows which copies bring the answer back.

    The contrast prompt is what the item asks with other values; left out, one is chosen in which
    something else is right and of which most can be compared. Where none can, a sentence is
    replaced or something is set in both, as `setting` says.
    """
    from tui.cli.block_answers import print_trace

    question, loading = asked.opened()
    print_trace(
        question, contrast, part, loading, to, controls=controls, force=force, as_json=as_json
    )


def patch(
    *,
    zero: Annotated[
        list[str] | None,
        typer.Option("--zero", metavar="PART:BLOCK[@SPAN]", help="Zero a part: attn:3, head:3.1."),
    ] = None,
    skip: Annotated[
        list[str] | None,
        typer.Option("--skip", metavar="BLOCK[@SPAN]", help="Have a block add nothing."),
    ] = None,
    copy: Annotated[
        list[str] | None,
        typer.Option(
            "--copy", metavar="PART:BLOCK[@SPAN]", help="Copy a part from the contrast run."
        ),
    ] = None,
    mean: Annotated[
        list[str] | None,
        typer.Option(
            "--mean",
            metavar="PART:BLOCK[@SPAN]",
            help="Put the mean over up to 16 other items of the collection in a part's place; "
            "their prompts' tokens are counted from the end.",
        ),
    ] = None,
    resample: Annotated[
        list[str] | None,
        typer.Option(
            "--resample",
            metavar="PART:BLOCK[@SPAN]",
            help="Put what a part is in another item's prompt in its place, counted so too.",
        ),
    ] = None,
    add: Annotated[
        list[str] | None,
        typer.Option(
            "--add",
            metavar="PART:BLOCK[@SPAN]=FILE",
            help="Add a vector: a JSON list of numbers or a .npy file.",
        ),
    ] = None,
    heads: Annotated[
        str | None,
        typer.Option(
            "--heads",
            metavar="zero|copy",
            help="Change every head of every block, one at a time, and print a map of the effects: "
            "zero, or copy from the contrast prompt, which is chosen when left out.",
        ),
    ] = None,
    contrast: ContrastOption = None,
    asked: QuestionOptions,
    as_json: JsonOption = False,
) -> None:
    """Change parts of blocks and score the options again.

    All changes are made together, those of --heads one at a time.

    Spans are numbered as `trace` with the same contrast prompt lists them; without one every token
    of the prompt is meant, and of a copy every token that can be compared.
    """
    from core.models.blocks import Action
    from tui.cli.block_answers import print_patch

    changes = {
        Action.ZERO: zero,
        Action.SKIP: skip,
        Action.COPY: copy,
        Action.MEAN: mean,
        Action.RESAMPLE: resample,
        Action.ADD: add,
    }
    named = {action: words(option) for action, option in changes.items()}
    if heads is not None:
        from tui.cli.head_answers import print_heads

        if any(named.values()):
            raise SettingError(
                "Heads are changed one at a time, other parts together.",
                where="--heads",
                hint="Leave the other changes out.",
            )
        question, loading = asked.opened()
        print_heads(question, heads, contrast, loading, as_json=as_json)
        return
    question, loading = asked.opened()
    print_patch(question, named, contrast, loading, as_json=as_json)
