"""Taking back: what a user asks in a chat to be forgotten is no longer held, told or learned again; its bytes stay."""
