"""The host's memory policy: what is recalled and when, what is kept, what stays private. Ports and pure gates; no store."""
