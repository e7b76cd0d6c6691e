"""Pictures of recorded runs for papers: what they show, and how matplotlib draws it."""
