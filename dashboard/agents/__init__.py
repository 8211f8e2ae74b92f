"""The server's tools for agents, by the Model Context Protocol at `/mcp`."""
