"""The memory engine behind the Gateway: users, transcripts, resources and their retrieval, entered through runtime.py."""
