"""Vectors of passages: packed into bytes, stored, made in the background, and made anew for another model."""
