"""What a model computes between its blocks for a question: tables, spans, contrasts and traces.

It turns the values of `core.models.blocks` into what a person looks at. Whatever is asked of a
model goes through `core.models.block_requests.Blocks`, so nothing here depends on how one is run.
"""
