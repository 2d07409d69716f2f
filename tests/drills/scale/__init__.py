"""The scale drill: several chat servers and workers over one PostgreSQL and one Valkey, clients that never behave, and deaths."""
