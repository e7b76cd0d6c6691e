"""Reads what a model wrote: which of the offered options it names, if any."""
