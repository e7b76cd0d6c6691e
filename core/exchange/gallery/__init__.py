"""A collection as a folder of pages: an index with pictures and filters, a page for each item."""
