"""Tests of beaver/agent/providers."""
