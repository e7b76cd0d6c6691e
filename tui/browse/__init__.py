"""The frame: list, item, ladder, live pane, models, export, and the base class of features.

It imports no feature.
"""
