"""The session database: engine and transactions, tables, the few differences between SQLite and PostgreSQL, migrations."""
