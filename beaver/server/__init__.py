"""The chat server over one loaded engine: OpenAI's API, runs by themselves, keys, the chat page, health."""
