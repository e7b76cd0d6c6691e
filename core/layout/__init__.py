"""Drawing as pure data: rows of spans, graphs, heat maps, for screens and for plain text alike.

Nothing here has colours, keys or the state of a program.
"""
