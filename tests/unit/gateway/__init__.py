"""Tests of unit/gateway."""
