"""Observations on SQLite and PostgreSQL, through the services that the Gateway uses."""
