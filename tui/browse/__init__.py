"""The frame: list, item, ladder, live pane, and the base class of features that plug into it.

It imports no feature.
"""
