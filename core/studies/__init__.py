"""Studies of a collection: what holds over many items, with controls."""
