"""Runs that outlive their connections: of this process, as stored, once for one request, by themselves over HTTP."""
