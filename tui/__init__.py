"""The terminal program and its command line.

What is true without a screen belongs into `core`.
"""
