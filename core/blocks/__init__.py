"""What a model computes between its blocks for a question: tables, spans, contrasts and traces.

It turns what `core.models.blocks` reads into what a person looks at. Whatever is asked of a model
goes through `core.models.block_requests.Blocks`, so nothing here depends on how one is run.
"""
