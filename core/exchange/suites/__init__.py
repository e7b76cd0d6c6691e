"""Writes a benchmark's questions as tasks of other engines, and reads back what they recorded."""
