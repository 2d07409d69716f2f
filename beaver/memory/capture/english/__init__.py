"""The rules of capture for English."""
