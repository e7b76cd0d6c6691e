"""Runs: which questions a plan asks, asking them, storing the verdicts, summing them up.

Nothing here draws, and nothing belongs to one benchmark.
"""
