"""Writes that can be repeated: who asked for what under which key, and the receipt that was given."""
