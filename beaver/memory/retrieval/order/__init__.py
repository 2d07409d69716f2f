"""The order of passages for a question: features, their weights, word pieces."""
