"""Reads what a model wrote: which of the offered options it names, if any.

Nothing here asks a model or knows a benchmark.
"""
