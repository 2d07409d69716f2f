"""What the session database knows of the host's memory: sessions switched off, what was forgotten, what the write gate did."""
