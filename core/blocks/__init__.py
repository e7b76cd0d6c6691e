"""What is seen of a question between the blocks of a model: tables, spans, twins, traces.

It turns what `core.models.blocks` reads into what a person looks at. Whatever is asked of a model
goes through `core.models.blocks.Layers`, so nothing here depends on how one is run.
"""
