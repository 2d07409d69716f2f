"""From ranked passages to an answer: what says the same, what is outdated."""
