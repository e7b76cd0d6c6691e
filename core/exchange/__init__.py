"""Exchange with other programs: importers of logs, exporters of views and lessons.

Nothing in `core` imports it.
"""
