"""The programs: they put shell, browse frame and features together, and start.

Panes, screens and what they compute belong to the features.
"""
