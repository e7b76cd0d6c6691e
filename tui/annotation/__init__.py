"""The screen on which people answer one question after the other.

What is asked and where answers go is decided by `core.annotation` and `tui.runs`.
"""
