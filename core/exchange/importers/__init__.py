"""Reads the logs of other programs as verdicts; nothing is asked of a model or stored here."""
