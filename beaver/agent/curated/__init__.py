"""Curated memory: two small files that the agent keeps by hand, shown in every prompt, changed by one tool."""
