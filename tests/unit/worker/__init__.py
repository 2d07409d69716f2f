"""The persist worker."""
