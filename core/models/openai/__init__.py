"""A model behind a server that speaks the OpenAI-compatible HTTP interface."""
