"""Everything that is true without a screen: benchmarks, models, runs, drawing as data, files.

Nothing here imports Textual, Typer or `tui`. Floors are listed in docs/architecture.md.
"""
