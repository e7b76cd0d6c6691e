"""Widgets: panes of rows, graphs, bars, logs, lists of choices.

Nothing here asks a model or opens a file.
"""
