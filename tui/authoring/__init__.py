"""The feature for items of a person's own: a wizard, editing of graphs, review of suggestions.

It imports no other feature.
"""
