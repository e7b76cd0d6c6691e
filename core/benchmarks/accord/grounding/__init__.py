"""Grounds trees with terms and words them as statements. A model only ranks terms."""
