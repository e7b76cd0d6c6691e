"""What `?` says about the trace."""

from __future__ import annotations

from core.text.language import N_

TRACE_HELP = N_("""
## The trace

**Causal tracing** runs the model on two prompts that differ in one place, this one and its
contrast prompt, and then the contrast prompt again with one span of one block copied from this
prompt's run. Where the answer of this prompt comes back, that span at that block carries what
makes the difference: 1 is all of the margin between the two answers, 0 nothing.
Meng et al. (2022) make the second prompt by adding noise to the first; Vig et al. (2020) and
Wang et al. (2022) write a second one in which something else is so, as is done here.

**Activation patching** goes the other way round: `enter` copies the cell under the cursor
from the contrast run into the run of *this* prompt, and the ladder shows what the model now
answers, marked `⇄ patched`. The trace asks what is enough to bring the answer back, the patch
what is needed to keep it; the two need not agree, because a model may hold the same thing in
several places. A patched answer is kept nowhere, and `esc` takes it back.

`_` has `enter` put something else in the cell's place: zero; the mean over prompts of other
items; or what one other item's prompt has. The tokens of prompts of different lengths are
counted from the end, and what all of them begin with stays as it is. Zero is no value that the
model knows, so it may harm more than what the cell holds; a mean does so less.

`^` shows beside it the same pair **the other way round** (noising): this prompt's run with a
span of a block from the contrast run, and how much of the margin is lost. `^` again shows a
**random control**: what is copied into the contrast run comes from the contrast prompt of another
item with as many tokens. Where that brings back as much, the trace has found nothing.

Rows are the spans of the prompt, columns the model's blocks from 0. `△` marks spans that say
something else in the contrast prompt; a span is comparable where both prompts have as many
tokens in the same place, or say the same in as many tokens as far from their ends. Where the two
compared options begin alike, what both begin with is the last row, because they are told apart
behind it. `▸` restores most, `•` is the marked cell, `⇄` the patched one. `M`
loads a second model and traces the same two prompts with it. All of it is about one pair of
prompts and the models that are named: another pair may look different.
""")
