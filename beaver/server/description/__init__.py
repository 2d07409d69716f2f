"""The server's description of itself: its OpenAPI document, and a page that shows it."""
