"""Tests of the host's local store."""
