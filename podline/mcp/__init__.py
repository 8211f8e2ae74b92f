"""`podline mcp`: tools for agents, with clusters in virtual time in this process."""
