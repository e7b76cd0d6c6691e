"""A collection as a folder of pages: an index with pictures and filters, and a page an item."""
