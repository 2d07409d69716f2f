"""One run of the agent: from a prompt to a committed answer and a rung doorbell."""
