"""The chat page: one HTML page, its style and its script, without a build step and without anything from elsewhere."""
