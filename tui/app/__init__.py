"""The programs: they put shell, browse frame and features together, and start.

Screens of items, runs and lessons belong to the features; here is only the card of the first time.
What is imported late, and why, is told in `docs/architecture.md`.
"""
