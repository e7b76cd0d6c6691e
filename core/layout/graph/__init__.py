"""Layered drawings of directed graphs in terminal cells, as pure data."""
