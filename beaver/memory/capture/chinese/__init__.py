"""The rules of capture for Chinese."""
