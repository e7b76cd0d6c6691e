"""Annotation by people: tasks, sessions, votes, and how votes decide a task.

What a benchmark asks is defined in the benchmark, and screens are in `tui`.
"""
