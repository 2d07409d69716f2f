"""What is asked: from a question's text to terms, days and a plan."""
