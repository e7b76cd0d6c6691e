"""Annotation by people: tasks, votes in files that only grow, rounds, agreement.

Nothing here knows what is annotated, or shows it.
"""
