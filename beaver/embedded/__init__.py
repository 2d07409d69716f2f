"""A laptop install: the queue server's binary, child processes with restarts, and their drain."""
