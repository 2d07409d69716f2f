"""Who may use the memory: users, their keys (kept as hashes), and their namespaces."""
