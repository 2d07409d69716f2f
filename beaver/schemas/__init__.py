"""Every type that crosses a process: Gateway calls, jobs, audit payloads, chat requests, problems."""
