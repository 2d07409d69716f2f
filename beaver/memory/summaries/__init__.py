"""Session summaries: one row a conversation, of what was asked, what came of it, what was decided and what is open."""
