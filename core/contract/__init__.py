"""What the program knows of a benchmark: its base class, collections, switches, views, questions.

Apart from the list of our own benchmarks and the soft score of Com², nothing here belongs to one
benchmark. It opens no file of items and draws nothing.
"""
