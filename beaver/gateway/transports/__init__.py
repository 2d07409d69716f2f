"""Transports: each turns its own frames into (operation, JSON, caller) and back; none knows another."""
