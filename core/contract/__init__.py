"""What the program knows of a benchmark: its base class, collections, switches, views, questions.

But for the order in which ours are offered, nothing here belongs to one benchmark, opens a file of
items or draws anything.
"""
