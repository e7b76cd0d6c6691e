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

**Direct logit attribution** (Elhage et al. 2021), `%`. How much the attention and the
feed-forward network of each block add to the answer's lead over the right option, or over the
runner-up. Bars to the right are for the answer, bars to the left against it. What a part does
through later blocks is counted as theirs.

**Heads**, `%` again. Three maps with a cell for each head: what it adds to the lead; the lead
without it; and the lead with what it gives in the contrast prompt. The last two run the model
once for every head. No head is ever silent in the model's own work, so silencing one may do
more harm than its part in the answer explains. `▽` is against the answer.
""")
