"""One suite a seam, on fakes and on the real thing."""
