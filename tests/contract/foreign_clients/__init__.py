"""Clients of other houses, unmodified: marked, since they come from elsewhere."""
