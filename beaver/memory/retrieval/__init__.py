"""Retrieval: words and query plans (pure), the full-text index (SQL), ranking (pure), and the search that joins them."""
