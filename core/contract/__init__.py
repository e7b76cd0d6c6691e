"""What the program knows of a benchmark: its base class, collections, switches, views, questions.

Apart from the list of our own benchmarks, nothing here belongs to one benchmark, opens a file of
items or draws anything.
"""
