"""Models that the engine may use: encoders of text into vectors, and language models for capture and reconciliation."""
