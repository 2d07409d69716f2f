"""What rules miss, found by weights that were fitted on labelled messages."""
