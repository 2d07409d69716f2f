"""The pure parts of observations."""
