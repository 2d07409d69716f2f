"""OpenAI's two APIs over a run: chat completions and responses, and the models that they name."""
