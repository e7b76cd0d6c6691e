"""Lessons: steps with narration, settings, predictions and claims that are checked.

Nothing here shows a lesson.
"""
