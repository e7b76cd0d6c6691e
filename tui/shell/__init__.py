"""The ground of every screen: themes, keys, the list of commands, palette, help, dialogues.

Nothing here knows benchmarks' items or a feature.
"""
