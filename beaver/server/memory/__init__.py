"""The host's memory over HTTP: look, pin, forget, switch off and on, ask why."""
