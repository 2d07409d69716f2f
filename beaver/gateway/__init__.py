"""The Memory Gateway server: one table of operations, auth, and the transports that carry them. The engine is `memory`."""
