"""Tests of beaver.server."""
