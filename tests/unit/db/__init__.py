"""Tests of beaver.db."""
