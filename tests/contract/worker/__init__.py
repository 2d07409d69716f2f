"""The worker as a whole, against a Gateway that counts."""
