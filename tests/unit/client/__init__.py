"""Tests of what we call: the Memory Gateway and the queue."""
