"""Mirrors the packages."""
