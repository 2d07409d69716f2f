"""Tests of unit/memory."""
