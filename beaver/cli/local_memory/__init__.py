"""The host's local store: the one place where the chat side's port is filled from the memory engine."""
