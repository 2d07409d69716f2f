"""The real processes, driven as a new user would; reads as a tutorial."""
