"""Com²: causal event graphs, queries on them, and scenarios whose answers follow from the graph.

`synthesis` makes new items with a model. No other benchmark, no runs and no screens are known here.
"""
