"""Suites of items: planned, generated, checked and opened; also those of the authors' program."""
