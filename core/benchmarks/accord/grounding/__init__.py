"""Grounding trees with terms, stating them, and checking that they are sound."""
