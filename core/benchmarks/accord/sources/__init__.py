"""Questions and their pairing templates: readers, suggestions and the user's decisions."""
