"""Sessions over HTTP, and which session a request belongs to."""
