"""Makes new items with a model, stage by stage, as Com² was made (sections 2.3 to 2.5)."""
