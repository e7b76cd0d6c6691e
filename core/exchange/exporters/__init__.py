"""Files to take away: a view of any benchmark as a page, a graph, a document or a picture."""
