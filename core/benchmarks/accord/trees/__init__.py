"""Reasoning trees: skills, the reduction matrix, trees, paths, counts. No knowledge base."""
