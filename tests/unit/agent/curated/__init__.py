"""Tests of curated memory."""
