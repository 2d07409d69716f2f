"""Observations: what was learned about a user, written through reconciliation, with its history."""
