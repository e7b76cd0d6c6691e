"""Widgets that several features draw with: rows, graphs, bars, lists of choices.

Nothing here asks a model or opens a file.
"""
