"""What the program knows of a benchmark: its base class, collections, switches, views, questions.

Nothing here belongs to one benchmark, opens a file of items or draws anything.
"""
