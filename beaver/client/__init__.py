"""What the chat server and the worker call: the Memory Gateway over HTTP, and the queue."""
