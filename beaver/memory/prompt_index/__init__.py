"""The prompt index: a short list of what is remembered, recent things first, then what fits the question."""
