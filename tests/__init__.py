"""The tests: unit, contract, drills, e2e, architecture, bench."""
