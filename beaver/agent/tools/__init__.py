"""What a model may ask for during a run: a tool's contract, dispatch with checked arguments, the loop guard, the tools."""
