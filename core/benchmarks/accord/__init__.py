"""ACCORD: commonsense questions whose answer follows from a tree of statements, hop by hop.

`soundness` has the rule that makes an item sound: nine checks of an item's record, made without
the folding of paths that the generator uses. `trees` has skills, the reduction matrix and paths;
`knowledge` the knowledge base; `grounding` puts terms into trees; `sources` reads questions and
their pairing templates; `suites` generates and opens items. Screens and runs have no place here.
"""
