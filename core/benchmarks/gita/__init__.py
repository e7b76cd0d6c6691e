"""GITA: Italian stories with a physical conflict, asked about in three dependent layers.

Only GITA is known here, no other benchmark, no runs and no screens.
"""
