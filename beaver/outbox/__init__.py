"""The ledger of turns on their way to the Memory Gateway: pure states, the store, the relay, the operators' view."""
