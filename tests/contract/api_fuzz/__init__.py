"""The chat server's API against its own description: a fuzzer makes requests of it, right ones and wrong ones."""
