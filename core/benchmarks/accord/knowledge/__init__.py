"""Knowledge bases of assertions, such as ConceptNet: read, compiled, and looked up."""
