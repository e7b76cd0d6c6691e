"""AbsPyramid: which broader concepts cover a noun, a verb or an event in its sentence.

Readers, pyramids, questions and scores; `curation` makes unlabelled tuples
and splits labelled ones. No other benchmark, no
runs and no screens are known here.
"""
