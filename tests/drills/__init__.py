"""Drills: parts are killed, cut, frozen and emptied, and the promises still hold."""
