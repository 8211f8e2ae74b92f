"""What a check asks of files: what is configured, what to compare with, where objects stand."""
