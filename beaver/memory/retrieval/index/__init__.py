"""What a process holds of a memory for its searches, and how it is kept up to date."""
