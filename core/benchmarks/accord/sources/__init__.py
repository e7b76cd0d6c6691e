"""Where questions and their pairing templates come from."""
