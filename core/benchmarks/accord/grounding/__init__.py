"""Grounds trees with terms and words them as statements. No screens, no models."""
