"""Build the bundled demonstration model: story generator, trainer, GGUF export and evaluation.

Nothing here is needed to run the program; see `requirements.txt` for what the tool itself needs.
"""
