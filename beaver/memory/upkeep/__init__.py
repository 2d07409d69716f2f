"""Maintenance of observations: old ones compressed, unused ones archived, the archive cleaned up; one runner at a time."""
