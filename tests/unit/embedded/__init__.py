"""The parts of a laptop install."""
