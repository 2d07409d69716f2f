"""The chat server: OpenAI-compatible chat completions, sessions and health over one loaded engine."""
