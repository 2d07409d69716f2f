"""The worker process: claims a completed turn in the ledger, adds it to the Memory Gateway, flushes, records."""
