"""The ledger: states, store, relay, sweep, inspection."""
