"""Models and data from where their makers publish them, fetched only at a person's word.

`huggingface_hub` and its HTTP client move the bytes; they are imported when used.
"""
