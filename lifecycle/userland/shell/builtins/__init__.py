"""What a shell does in its own process."""
