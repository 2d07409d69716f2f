"""What one chat server counts: its requests, its runs, and what its runs ask of others. Never content, ids or keys."""
