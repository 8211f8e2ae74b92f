"""Services, and where their connections go."""
