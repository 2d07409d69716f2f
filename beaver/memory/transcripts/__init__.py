"""Transcripts: what was said, verbatim, turn by turn; durable and findable as soon as an add returns."""
