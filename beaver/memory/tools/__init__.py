"""The nine memory tools, for models, MCP and HTTP alike: a table of names, schemas and handlers over the services."""
