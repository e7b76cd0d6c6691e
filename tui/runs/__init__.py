"""Runs over a collection on the screen: starting, pausing, figures, a person's answers.

What is asked and stored is decided in `core.runs`.
"""
