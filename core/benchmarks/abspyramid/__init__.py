"""AbsPyramid: which broader concepts cover a noun, a verb or an event in its sentence.

Readers, pyramids, questions and scores; `curation` makes unlabelled tuples and splits labelled
ones. Nothing here imports another benchmark, runs or screens.
"""
