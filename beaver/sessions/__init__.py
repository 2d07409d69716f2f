"""The session store: events, runs, leases with a rising fence, repaired history, transcript search."""
