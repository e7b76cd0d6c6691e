"""The ground of every screen: themes, keys, the list of commands, palette, help, dialogues.

The tables of commands name features and their methods; nothing here imports one.
"""
