"""Capture: what of a conversation is worth an observation, found by rules or by a model; pure but for the model's call."""
