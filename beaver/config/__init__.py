"""The instance's configuration: where it lies, what it may say, how it becomes frozen settings, what is wrong with it."""
