"""The house as a whole: import rules, clean installs, the README against the code."""
