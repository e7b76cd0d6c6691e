"""Files: reading within limits, rows, strict YAML, atomic writing, paths, configuration.

Nothing here knows what the rows mean.
"""
