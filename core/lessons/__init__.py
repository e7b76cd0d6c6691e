"""Lessons: scripted walks over a collection, of narration, settings, predictions and reveals."""
