"""The feature for lessons: the screen that plays one, its narration, the speaker's view.

What a lesson is, and whether it holds, is decided in `core.lessons`. It imports no other feature.
"""
