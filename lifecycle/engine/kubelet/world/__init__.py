"""What a container sees of its machine, its pod and its cluster."""
