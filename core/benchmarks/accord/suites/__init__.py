"""Suites: which items there are, generated, checked and opened."""
