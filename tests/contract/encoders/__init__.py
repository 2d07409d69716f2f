"""Encoders: one suite for all, and what is asked of the services."""
