"""Imports the logs of other programs as runs; nothing is asked of a model here."""
