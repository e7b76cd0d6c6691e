"""What the makers of items of several benchmarks share: replies, digests of prompts, rejection.

Nothing here belongs to one benchmark.
"""
