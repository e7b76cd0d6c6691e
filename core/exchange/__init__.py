"""Exchange with others: importers of logs, exporters of views and lessons, published figures.

Nothing in `core` imports it.
"""
