"""Real parts and stand-ins that several suites share."""
