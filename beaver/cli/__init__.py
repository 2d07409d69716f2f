"""The command line: one file a noun, light at import; what a command needs is imported inside it."""
