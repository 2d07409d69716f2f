"""Tests of beaver/agent."""
