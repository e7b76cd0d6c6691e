"""Reasoning trees: skills, the reduction matrix, trees, paths, counts. Nothing about terms."""
