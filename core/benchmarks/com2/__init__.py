"""Com²: causal event graphs, queries on them, and scenarios whose answers follow from the graph.

`synthesis` makes new items with a model. Nothing here imports another benchmark, runs or screens.
"""
