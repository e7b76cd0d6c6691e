"""The feature about a model's blocks: the X-ray pane and the trace pane.

What they show is computed in `core.blocks`. It imports no other feature.
"""
