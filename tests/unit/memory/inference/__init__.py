"""Encoders and language models of the engine."""
