"""Tests of beaver.sessions."""
