"""What `?` says about the X-ray."""

from __future__ import annotations

from core.text.language import N_

XRAY_HELP = N_("""
## The X-ray

A row for every option, a column for every block. `▸` leads there, `◆` is right, `△` marks a
block at which another option takes the lead. `j k` go over the options, `h l` over the blocks;
on the line of tokens above, `h l` go along the prompt, and `esc` returns to its end.

**Logit lens** (nostalgebraist 2020). A transformer adds to one vector, the residual stream,
block by block, and only the last one is turned into words. Here each block's vector is turned
into words as if it were the last. That shows where the answer becomes readable, which may be
later than where it is made: a middle block was never trained to be read, so what it seems to
say is a projection, not a belief.

**Attention** (Vaswani et al. 2017), `#`. Each head of a block gathers from earlier tokens, in
shares that add up to one; drawn are those of the answer position, summed over each span of
the prompt, and beside the item. A line of a graph is as heavy as what falls on its link: on
the statement that says it, or, from the last token of the event that the prompt tells later,
on the one told earlier. They tell where a head looks, not what it takes from there
nor whether that matters. Much often falls on the first token, where a head rests that has
nothing to do.

**Direct logit attribution** (Elhage et al. 2021), `%`. Because the residual stream is a sum,
the lead of one option over another can be divided among all that wrote to it: the attention
and the feed-forward network of each block. Bars to the right speak for the answer, to the
left for what it is compared with: the right option, or the runner-up. A part may also work
through later blocks; that is counted as theirs.

**Heads**, `%` again. Three maps of blocks by heads: what each head adds to the same lead; what
the lead becomes when a head gives nothing at any token; and when it gives what it gives in the
contrast prompt. The last two run the model once for every head. Zero is no value that the model
knows, so it may harm more than what the head says. `▽` is against the answer.
""")
