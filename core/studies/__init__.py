"""Findings over a collection: traces, heads and whatever else is measured item by item.

A study is a plan (which model, which questions, which method), the values measured for its items,
which are kept one by one so that it can be stopped, and a result with its controls.
"""
