"""Forgetting: what a user wants gone is gone from rows, index, vectors, archive, history and the bytes of the file."""
