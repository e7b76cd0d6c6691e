"""The benchmarks, a folder each; none imports another.

`generation` holds what their makers of items share. Screens, runs and exporters have no place here.
"""
