"""Text: errors, the languages of the program, escaping of hostile text, suggestions, search.

The lowest floor: nothing else of `core` is imported here.
"""
