"""The frame: list, item, ladder, live pane, models, export, and the base class of features.

It imports none of the features that `tui.app` plugs in.
"""
