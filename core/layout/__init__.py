"""Drawing as pure data: what stands in which row, for screens and for plain text alike."""
