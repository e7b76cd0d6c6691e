"""ACCORD: commonsense questions whose answer follows from a tree of statements, hop by hop.

`soundness` has the rule that makes an item sound: nine checks that use nothing of what generates
items. `trees` has skills, the reduction matrix and paths; `knowledge` the knowledge base;
`grounding` puts terms into trees; `sources` reads questions and their pairing templates; `suites`
generates and opens items. Screens, models and runs have no place here.
"""
